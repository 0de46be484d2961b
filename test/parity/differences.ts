interface Difference {
  readonly theirs: string;
  readonly ours: string;
  readonly why: string;
}

/** What differs on purpose, and why. */
const differences = {
  unknownTool: {
    theirs: 'not found',
    ours: 'status: unknown_tool',
    why: 'the model is told the nearest names, and what to do',
  },
  toolError: {
    theirs: 'Please fix your mistakes',
    ours: 'effect: unknown',
    why: 'an invitation to try again is wrong for what may have been done',
  },
  thrownParentCommand: {
    theirs: 'swallowed',
    ours: 'returned',
    why: 'theirs takes it for an error without a text, and the command is lost',
  },
  siblingOfThrown: {
    theirs: 'not waited',
    ours: 'waited',
    why: 'what a sibling does is not lost to the one that failed',
  },
  reusedId: {
    theirs: 'saw c',
    ours: 'saw b, saw c',
    why: 'theirs takes a call for answered whose id any earlier turn used',
  },
  missingId: {
    theirs: 'without',
    ours: 'with one',
    why: 'providers refuse an answer without an id',
  },
  pausesOfOneTask: {
    theirs: 'May I a?',
    ours: 'May I a? May I b?',
    why: 'theirs shows one pause of a task at a time, and hands out answers in the order of asking',
  },
  unreadableCall: {
    theirs: 'ended',
    ours: 'asked again',
    why: 'theirs takes the message for the last one, with nothing done and nothing said',
  },
  cutOffMessage: {
    theirs: 'done',
    ours: 'not done',
    why: 'what a message that was cut off asks for may not be what was meant',
  },
} as const satisfies Readonly<Record<string, Difference>>;

/** What one side does about it. */
export function differing(name: keyof typeof differences, isOurs: boolean): string {
  return differences[name][isOurs ? 'ours' : 'theirs'];
}
