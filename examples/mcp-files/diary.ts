import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a diary in it. */
export async function prepareDiary(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'holdfast-files-'));
  await writeFile(join(folder, 'diary.txt'), 'I had coffee.\n');
  return folder;
}
