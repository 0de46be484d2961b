import { SetupError } from '@holdfast/tool-registry';

/** `enforce`: act. `shadow`: judge and record, act on nothing. `off`: neither. */
export type Mode = 'enforce' | 'shadow' | 'off';
const modes: readonly Mode[] = ['enforce', 'shadow', 'off'];

/** Mechanisms of the admit stage, each with a switch of its own. */
const mechanisms = ['deadline', 'circuit-breaker', 'loop-guard'] as const;
export type Mechanism = (typeof mechanisms)[number];

/** What was switched how when a run began; it keeps it to its end. */
export type Modes = { readonly guard: Mode } & { readonly [M in Mechanism]: Mode };

/** One mode for the whole guard, or one for each mechanism that is not to be enforced. */
export type ModeOption = Mode | { readonly [M in Mechanism]?: Mode };

const allEnforced: Modes = {
  guard: 'enforce',
  deadline: 'enforce',
  'circuit-breaker': 'enforce',
  'loop-guard': 'enforce',
};

/**
 * Reads the `mode` option.
 * @throws SetupError `option_out_of_range` naming what there is instead.
 */
export function modesOf(option: ModeOption | undefined): Modes {
  if (option === undefined) return allEnforced;
  if (typeof option === 'string') return switched(allEnforced, option);
  if (typeof option !== 'object' || option === null) throw unknownName('mode', option, modes);
  return Object.entries(option).reduce<Modes>(
    (so, [mechanism, mode]) => (mode === undefined ? so : switched(so, mode, mechanism)),
    allEnforced,
  );
}

/**
 * The modes after a switch.
 * @throws SetupError `option_out_of_range`
 */
function switched(from: Modes, mode: Mode, mechanism?: string): Modes {
  if (!modes.includes(mode)) {
    throw unknownName('mode', mode, modes);
  }
  if (mechanism === undefined) return { ...from, guard: mode };
  if (!mechanisms.some((one) => one === mechanism)) {
    throw unknownName('mode', mechanism, mechanisms);
  }
  return { ...from, [mechanism]: mode };
}

function unknownName(field: string, name: unknown, known: readonly string[]): SetupError {
  return new SetupError('option_out_of_range', [
    { field, reason: `there is no ${String(name)}`, fix: `use one of ${known.join(', ')}` },
  ]);
}

/** How runs that begin now are guarded. */
export class ModeSwitch {
  #modes: Modes;

  /** @throws SetupError `option_out_of_range` */
  constructor(option: ModeOption | undefined) {
    this.#modes = modesOf(option);
  }

  get now(): Modes {
    return this.#modes;
  }

  /** @throws SetupError `option_out_of_range` */
  switch(mode: Mode, mechanism?: Mechanism): void {
    this.#modes = switched(this.#modes, mode, mechanism);
  }
}

/** The namespace in which a guard that only watches keeps its rows. */
export function shadowTenant(tenant: string): string {
  return `shadow/${tenant}`;
}
