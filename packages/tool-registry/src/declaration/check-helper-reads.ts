/** The reads that a write leans on: `capture` before it, `probe` after it. */
import { isToolEntry } from '../entry-brand.js';
import { checkDuration, checkFunction, type Report, settingsOf, show } from './settings.js';

function checkRead(tool: unknown, field: string, report: Report): void {
  if (!isToolEntry(tool)) {
    const reason = tool === undefined ? 'it is missing' : `${show(tool)} is not a tool's entry`;
    report(field, reason, 'give what defineTool returned for the read');
  } else if (tool.idempotency.class !== 'read') {
    const reason = `${show(tool.name)} is not a read but ${tool.idempotency.class}`;
    report(field, reason, 'give a tool with idempotency: read()');
  }
}

export function checkCapture(value: unknown, field: string, report: Report): void {
  const capture = settingsOf(value, field, ['tool', 'args'], report);
  if (capture === undefined) return;
  checkRead(capture.tool, `${field}.tool`, report);
  checkFunction(capture.args, `${field}.args`, report);
}

const probeSettings = ['tool', 'args', 'answer', 'inFlightHorizon', 'timeout'] as const;
/** A probe that takes longer than 5 minutes would hold up everything that waits for its answer. */
const longestProbeMs = 300_000;

export function checkProbe(value: unknown, field: string, report: Report): void {
  const probe = settingsOf(value, field, [...probeSettings], report);
  if (probe === undefined) return;
  checkRead(probe.tool, `${field}.tool`, report);
  checkFunction(probe.args, `${field}.args`, report);
  checkFunction(probe.answer, `${field}.answer`, report);
  if (probe.inFlightHorizon !== undefined) {
    checkDuration(probe.inFlightHorizon, `${field}.inFlightHorizon`, { minMs: 0 }, report);
  }
  if (probe.timeout !== undefined) {
    checkDuration(probe.timeout, `${field}.timeout`, { minMs: 1, maxMs: longestProbeMs }, report);
  }
}
