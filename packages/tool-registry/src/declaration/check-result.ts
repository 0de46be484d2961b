import {
  checkFunction,
  checkNumber,
  checkText,
  type Report,
  settingsOf,
  show,
} from './settings.js';

/** Less than this says too little, and more than this no line of a server may have, in bytes. */
const capRange = { min: 4_096, max: 64 * 1024 * 1024, whole: true };

/** How a tool's ordinary results are read, and what of them is given on. */
export function checkResult(value: unknown, field: string, report: Report): void {
  const result = settingsOf(value, field, ['failureWhen', 'maxBytes', 'keep', 'redact'], report);
  if (result === undefined) return;
  const { failureWhen, maxBytes, keep, redact } = result;
  if (failureWhen !== undefined) checkFunction(failureWhen, `${field}.failureWhen`, report);
  if (maxBytes !== undefined) checkNumber(maxBytes, `${field}.maxBytes`, capRange, report);
  if (keep !== undefined) checkFields(keep, `${field}.keep`, report);
  if (redact !== undefined) checkFields(redact, `${field}.redact`, report);
}

function checkFields(value: unknown, field: string, report: Report): void {
  if (!Array.isArray(value)) {
    report(field, `${show(value)} is not a list`, "give the names of fields: ['order.status']");
    return;
  }
  value.forEach((name: unknown, index) => {
    const at = `${field}[${index}]`;
    checkText(name, at, 'order.status', report);
    if (typeof name === 'string' && /(^|\.)(\.|$)/.test(name) && name !== '') {
      report(at, `${show(name)} has an empty part`, "give names parted by dots: 'order.status'");
    }
  });
}
