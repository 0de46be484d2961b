import type { AgentAnswer } from '../agent-answer.js';
import type { AgentOptions } from '../agent-options.js';
import type { AgentEnd, AgentRun } from '../run-agent.js';
import type { Services } from '../services/start-services.js';

export const faultNames = [
  'lost-response',
  'kill',
  'rate-limit',
  'asks-again',
  'broken-mail',
  'short-deadline',
] as const;
export type FaultName = (typeof faultNames)[number];

/** What a scenario plays with: fresh services, and an agent that it may start again. */
interface Stage {
  services: Services;
  startAgent(asked?: Partial<Asked>): AgentRun;
  /** Says a step when it has happened. */
  tell(step: string): Promise<void>;
}

/** What an agent is asked for, and how patient it is to be. The same for both agents. */
export type Asked = Pick<AgentOptions, 'message' | 'deadlineMs' | 'requestTimeoutMs'>;

/** What a fault shows; `bounds.ts` holds the demo to it. */
interface Shows {
  /** The lesson, in a few words. */
  lesson: string;
  /** The stock agent does something again, or leaves out what the guarded one does. */
  stock: 'repeats' | 'leaves-out';
  /** How the guarded run is reported to end; a partial one names the failure that ended it. */
  guarded: { status: 'complete' } | { status: 'partial'; because: string };
  /** How often the guarded agent asks the mail service to send something, at most. */
  mailRequests: number;
}

/** One fault, the same for every agent: it lives in the services and in `kill`, never in an agent. */
interface Scenario {
  /** What goes wrong, in a line. */
  summary: string;
  shows: Shows;
  /** Returns what the agent answers in the end. @throws when the agent program itself fails. */
  play(stage: Stage): Promise<AgentAnswer>;
}

const RETRY_AFTER_SECONDS = 3;

export const scenarios: Record<FaultName, Scenario> = {
  'lost-response': {
    summary: 'The mail service sends the mail and loses its answer, the first two times.',
    shows: {
      lesson: 'a lost answer is no failure: ask, do not send again',
      stock: 'repeats',
      guarded: { status: 'complete' },
      mailRequests: 1,
    },
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'lost-response', times: 2 });
      await tell('starts; the next two answers of the mail service will be lost');
      return answerOf(await startAgent().end);
    },
  },
  kill: {
    summary: 'kill -9 after the mail is sent and before its answer; resume in a new process.',
    shows: {
      lesson: 'what a dead process did is known to the next one',
      stock: 'repeats',
      guarded: { status: 'complete' },
      mailRequests: 1,
    },
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'hold' });
      await tell('starts; the mail service will hold its next answer');
      const first = startAgent();
      await Promise.race([services.held('mail'), first.end.then(answeredTooSoon)]);
      await first.kill();
      await tell('killed with kill -9 while it waited for the mail service');
      await tell('starts again as a new process, to resume');
      return answerOf(await startAgent().end);
    },
  },
  'rate-limit': {
    summary: `The mail service answers 429, Retry-After: ${RETRY_AFTER_SECONDS}; asked too early, it makes the wait begin anew.`,
    shows: {
      lesson: 'the wait that a server asks for is waited, exactly',
      stock: 'leaves-out',
      guarded: { status: 'complete' },
      mailRequests: 2,
    },
    play: async ({ services, startAgent, tell }) => {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      await services.arm('mail', { fault: 'rate-limit', retryAfterSeconds });
      await tell(`starts; the mail service takes nothing before ${retryAfterSeconds} s of silence`);
      return answerOf(await startAgent().end);
    },
  },
  'asks-again': {
    summary: 'The mail goes out after its client stopped waiting, and the model asks for it again.',
    shows: {
      lesson: 'a timeout is no failure, and a model that insists changes nothing',
      stock: 'repeats',
      guarded: { status: 'complete' },
      mailRequests: 1,
    },
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'late-effect', delayMs: 1_600, times: 4 });
      await services.arm('model', { fault: 'insists', thinkMs: 1_000 });
      await tell('starts; requests may take 1 s, mails take 1.6 s, and the model will insist');
      return answerOf(await startAgent({ requestTimeoutMs: '1000' }).end);
    },
  },
  'broken-mail': {
    summary: 'The mail service answers every request with 500, and sends every other mail before.',
    shows: {
      lesson: 'a broken tool is left alone, and what is open is named',
      stock: 'repeats',
      guarded: { status: 'partial', because: 'circuit_open' },
      mailRequests: 3,
    },
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'broken' });
      await tell('starts, to mail four people; the mail service will answer 500');
      const others = 'carrier@example.com, depot@example.com and shop@example.com';
      const message = `Move the delivery of order ord_1 to tomorrow morning and tell the buyer, ${others}.`;
      return answerOf(await startAgent({ message }).end);
    },
  },
  'short-deadline': {
    summary: 'The run may take 6 s, and the mail service answers 7 s after it sent the mail.',
    shows: {
      lesson: 'what cannot end in time is not begun, and that is said',
      stock: 'repeats',
      guarded: { status: 'partial', because: 'deadline_exceeded' },
      mailRequests: 0,
    },
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'late-answer', delayMs: 7_000, times: 2 });
      await tell('starts, with 6 s for its run; the mail service answers 7 s after each mail');
      return answerOf(await startAgent({ deadlineMs: '6000' }).end);
    },
  },
};

function answerOf(end: AgentEnd): AgentAnswer {
  switch (end.kind) {
    case 'answered':
      return end.answer;
    case 'killed':
      throw new Error(`The agent was ended by ${end.signal}, which is not part of this scenario.`);
    case 'failed':
      throw new Error(`The agent program failed (exit code ${end.exitCode}):\n${end.stderr}`);
  }
}

function answeredTooSoon(end: AgentEnd): never {
  const { text } = answerOf(end);
  throw new Error(`The agent ended before the mail service held a request. It said: ${text}`);
}
