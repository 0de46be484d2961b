import type { AgentAnswer } from '../agent-answer.js';
import type { AgentEnd, AgentRun } from '../run-agent.js';
import type { Services } from '../services/start-services.js';

export const faultNames = ['lost-response', 'kill'] as const;
export type FaultName = (typeof faultNames)[number];

/** What a scenario plays with: fresh services, and an agent that it may start again. */
interface Stage {
  services: Services;
  startAgent(): AgentRun;
  /** Says a step when it has happened. */
  tell(step: string): Promise<void>;
}

/** One fault, the same for every agent: it lives in the services and in `kill`, never in an agent. */
interface Scenario {
  /** What goes wrong, in a line. */
  summary: string;
  /** Returns what the agent answers in the end. @throws when the agent program itself fails. */
  play(stage: Stage): Promise<AgentAnswer>;
}

export const scenarios: Record<FaultName, Scenario> = {
  'lost-response': {
    summary: 'The mail service sends the mail and loses its answer, the first two times.',
    play: async ({ services, startAgent, tell }) => {
      await services.arm('mail', { fault: 'lost-response', times: 2 });
      await tell('starts; the next two answers of the mail service will be lost');
      return answerOf(await startAgent().end);
    },
  },
  kill: {
    summary: 'kill -9 after the mail is sent and before its answer; resume in a new process.',
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
