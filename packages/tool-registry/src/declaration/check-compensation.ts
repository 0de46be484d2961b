import {
  checkChoice,
  checkDuration,
  checkFunction,
  checkText,
  type Report,
  settingsOf,
} from './settings.js';

/** How an effect is undone, or that it cannot be. */
export function checkCompensation(value: unknown, field: string, report: Report): void {
  const none =
    typeof value === 'object' && value !== null && 'tool' in value && value.tool === 'none';
  const known = none ? ['tool', 'avoidBy', 'reason'] : ['tool', 'strength', 'within', 'args'];
  const settings = settingsOf(value, field, known, report);
  if (settings === undefined) return;
  if (none) {
    const ways = ['place-last', 'accept', 'confirm'];
    checkChoice(settings.avoidBy, `${field}.avoidBy`, ways, report, 'required');
    checkText(settings.reason, `${field}.reason`, 'a mail cannot be unsent', report);
    return;
  }
  checkText(settings.tool, `${field}.tool`, 'cancel_order', report);
  checkChoice(settings.strength, `${field}.strength`, ['strong', 'weak'], report, 'required');
  checkDuration(settings.within, `${field}.within`, { minMs: 1 }, report);
  checkFunction(settings.args, `${field}.args`, report);
}
