import { isSetupError, type SetupErrorCode } from '@holdfast/tool-registry';

/** The SetupError that `work` throws; the test fails if it throws none. */
export function setupError(work: () => unknown): {
  code: SetupErrorCode;
  reason: string;
  fix: string;
} {
  try {
    work();
  } catch (error) {
    if (isSetupError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
