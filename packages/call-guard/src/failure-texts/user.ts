import type { FailureFacts } from '../failure.js';
import { en } from './en.js';
import { ja } from './ja.js';
import type { UserTexts } from './user-texts.js';

/** The languages that users may be spoken to in. */
export type Locale = 'en' | 'ja';

const ACTION = '{action}';
const TOOL = '{tool}';

const byLocale: Readonly<Record<Locale, UserTexts>> = { en, ja };

export const locales = Object.keys(byLocale);

/** A tool, or a step of one. */
export interface Action {
  readonly tool: string;
  readonly step?: string;
}

/** What the user reads of a failed call. */
export function forUser(tool: string, failure: FailureFacts, locale: Locale): string {
  const texts = byLocale[locale];
  const action = nameOf({ tool }, texts.action);
  const { stepsDone = [] } = failure;
  switch (failure.effect) {
    case 'done':
      return withOne(texts.done, ACTION, action);
    case 'unknown': {
      const parts = stepsDone.join(texts.separator);
      const known = stepsDone.length === 0 ? texts.uncertain : texts.uncertainWithParts;
      const who = failure.next.advice === 'hand_off' ? texts.leftToPerson : texts.checked;
      return [fill(known, { action, parts }), who].join(texts.space);
    }
    case 'none':
      return withOne(
        failure.kind === 'auth_failed'
          ? texts.denied[failure.details.why]
          : texts.notDone[failure.kind],
        ACTION,
        action,
      );
  }
}

/** What the user reads of an effect that another process left open. */
export function forUserUnsettled(open: Action, locale: Locale): string {
  const texts = byLocale[locale];
  const uncertain = withOne(texts.uncertain, ACTION, nameOf(open, texts.action));
  return [uncertain, texts.notRepeated].join(texts.space);
}

/**
 * What the user reads of a whole run.
 *
 * @param open what was said of each part that is not done
 */
export function forUserOfRun(
  status: 'complete' | 'interrupted' | 'partial' | 'failed',
  done: readonly Action[],
  open: readonly string[],
  locale: Locale,
): string {
  const { report, item, separator, space } = byLocale[locale];
  const items = counted(done.map((action) => nameOf(action, item))).join(separator);
  // Two uncertain calls of one tool are told in the same words.
  const left = [...new Set(open)];
  const doneText = done.length === 0 ? [] : [fill(report.done, { items })];
  const says = status !== 'complete' || done.length === 0 ? [report[status]] : [];
  const sentences = {
    complete: [...says, ...doneText],
    interrupted: [...says, ...doneText],
    partial: [...says, ...doneText, ...left],
    failed: [...says, ...left],
  };
  return sentences[status].join(space);
}

/** Each name once, with how often it was there: `mail ×2`. */
function counted(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
}

function nameOf({ tool, step }: Action, forms: UserTexts['action']): string {
  return step === undefined
    ? withOne(forms.ofTool, TOOL, tool)
    : fill(forms.ofStep, { tool, step });
}

/** A template with its one place filled: what most of them have, and all that a refusal takes. */
function withOne(template: string, place: typeof ACTION | typeof TOOL, value: string): string {
  const at = template.indexOf(place);
  return at < 0 ? template : template.slice(0, at) + value + template.slice(at + place.length);
}

/** The template with `{name}` replaced. Values are taken as they are, whatever braces they have. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  let text = '';
  let from = 0;
  for (;;) {
    const open = template.indexOf('{', from);
    const close = template.indexOf('}', open);
    if (open < 0 || close < 0) return text + template.slice(from);
    const value = values[template.slice(open + 1, close)] ?? template.slice(open, close + 1);
    text += template.slice(from, open) + value;
    from = close + 1;
  }
}
