import { memorySink } from '@holdfast/call-guard';
import { type RemovableMechanism, without } from '@holdfast/call-guard/testing';
import { type Effect, type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import {
  createLangGraphGuard,
  type LangGraphGuard,
  type LangGraphGuardOptions,
} from '@holdfast/langgraph-resilience';
import { type BaseMessage, HumanMessage, type ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { MemorySaver } from '@langchain/langgraph';
import type { AgentKind, AgentSetting, TestAgent } from './agents.js';
import { caseRegistry } from './case-registry.js';
import { type Afterwards, caseTools } from './case-tools.js';
import { type Saying, ScriptedModel } from './scripted-model.js';
import { testClock } from './test-clock.js';
import { World } from './world.js';

/** Set by `switches.test.ts`, which expects a case to fail without the mechanism. */
const switchedOff = process.env.HOLDFAST_TEST_WITHOUT as RemovableMechanism | undefined;

type Options = Partial<Omit<LangGraphGuardOptions<typeof caseRegistry>, 'registry'>>;

/** What stays when a process ends: the world, the ledger and the saver. */
export interface Scene {
  readonly world: World;
  readonly ledger: LedgerStore;
  readonly saver: MemorySaver;
  readonly events: ReturnType<typeof memorySink>;
  readonly clock: ReturnType<typeof testClock>;
  /** A guard as a process makes one: it shares nothing but ledger and clock with the others. */
  guard(options?: Options): LangGraphGuard;
  /** A process: a guard of its own, an agent of this kind, and what its model will say. */
  process(
    kind: AgentKind,
    sayings: readonly Saying[],
    more?: Partial<AgentSetting> & {
      readonly afterwards?: Readonly<Record<string, Afterwards>>;
      readonly pausesAfter?: Readonly<Record<string, () => Promise<void>>>;
    },
  ): Process;
  /** All rows of a thread's runs, oldest first. */
  rows(threadId?: string): Promise<readonly Effect[]>;
}

export interface Process {
  readonly guard: LangGraphGuard;
  readonly agent: TestAgent;
  readonly model: ScriptedModel;
}

/** The thread of all cases. */
const THREAD = 'T1';
export const onThread = { configurable: { thread_id: THREAD } };

export function scene(
  given: {
    readonly world?: World;
    readonly ledger?: LedgerStore;
    readonly wrap?: (ledger: LedgerStore) => LedgerStore;
  } = {},
): Scene {
  const clock = testClock();
  const { world = new World(), wrap = (same: LedgerStore) => same } = given;
  const ledger = wrap(given.ledger ?? memoryLedger({ now: clock.wallMs }));
  const saver = new MemorySaver();
  const events = memorySink();
  const guard: Scene['guard'] = (options = {}) => {
    const whole = createLangGraphGuard({
      registry: caseRegistry,
      ledger,
      clock,
      events: [events],
      random: () => 0,
      executors: {
        find_charge: async ({ orderId }) => {
          const at = world.deeds.findIndex(({ args }) => args.orderId === orderId);
          return { receipt: at < 0 ? null : at + 1 };
        },
      },
      ...options,
    });
    return switchedOff === undefined ? whole : without(whole, switchedOff);
  };
  return {
    world,
    ledger,
    saver,
    events,
    clock,
    guard,
    process(kind, sayings, { afterwards, pausesAfter, ...more } = {}) {
      const own = more.guard ?? guard();
      const model = new ScriptedModel(sayings);
      const tools = caseTools(world, afterwards, pausesAfter);
      return {
        guard: own,
        model,
        agent: kind.make({ model, tools, saver, ...more, guard: own }),
      };
    },
    async rows(threadId = THREAD) {
      const runs = await ledger.runs({ tenant: 'default', threadId });
      const rows = await Promise.all(runs.map(({ runId }) => ledger.find({ runId })));
      return rows.flat().sort((a, b) => a.startSeq - b.startSeq);
    },
  };
}

/** What a user says. */
export function asked(text: string): { messages: BaseMessage[] } {
  return { messages: [new HumanMessage(text)] };
}

/** The answer to a tool call; the test fails if there is none or more than one. */
export function answerTo(
  callId: string,
  output: { readonly messages: readonly BaseMessage[] } | undefined,
): ToolMessage {
  const answers = (output?.messages ?? []).filter(
    (message): message is ToolMessage =>
      message.getType() === 'tool' && 'tool_call_id' in message && message.tool_call_id === callId,
  );
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) {
    throw new Error(`${answers.length} answers to ${callId}`);
  }
  return answer;
}

/** The last thing that was said. */
export function lastOf(output: { readonly messages: readonly BaseMessage[] } | undefined): string {
  return output?.messages.at(-1)?.text ?? '';
}

/** The kind of the failure that a tool message carries. */
export function failureIn(message: ToolMessage): unknown {
  const artifact: unknown = message.artifact;
  return typeof artifact === 'object' && artifact !== null && 'kind' in artifact
    ? artifact.kind
    : undefined;
}

/** The checkpoint before the first run of a node. */
export async function checkpointBefore(node: string, agent: TestAgent): Promise<RunnableConfig> {
  let found: RunnableConfig | undefined;
  for await (const snapshot of agent.getStateHistory(onThread)) {
    if (snapshot.next.includes(node)) found = snapshot.config;
  }
  if (found === undefined) throw new Error(`no checkpoint before ${node}`);
  return found;
}
