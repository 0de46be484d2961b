import {
  Command,
  GraphDrained,
  GraphInterrupt,
  GraphRecursionError,
  ParentCommand,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { isControlFlow, parentCommandIn, pausesOrDrains } from './control-flow.js';

const command = new Command({ graph: Command.PARENT, goto: 'other' });

const unreadable = Object.defineProperty(new Error('x'), 'name', {
  get() {
    throw new Error('no');
  },
});

describe('control flow', () => {
  it.each([
    ['a pause', new GraphInterrupt([]), true, true],
    ['a drain', new GraphDrained('sigterm'), true, true],
    ['a command for the parent', new ParentCommand(command), true, false],
    ['an error', new Error('it broke'), false, false],
    ['the recursion limit', new GraphRecursionError('too deep'), false, false],
    ['nothing', undefined, false, false],
    ['null', null, false, false],
    ['what cannot be read', unreadable, false, false],
  ])('%s', (_, thrown, isFlow, pauses) => {
    expect(isControlFlow(thrown)).toBe(isFlow);
    expect(pausesOrDrains(thrown)).toBe(pauses);
  });

  it('gives the command in a thrown parent command, and in nothing else', () => {
    expect(parentCommandIn(new ParentCommand(command))).toBe(command);
    expect(parentCommandIn(new GraphInterrupt([]))).toBeUndefined();
    expect(parentCommandIn(new Error('it broke'))).toBeUndefined();
    expect(parentCommandIn(null)).toBeUndefined();
  });
});
