/** A small registry, a scripted model and a guard over a ledger in memory, for the adapter's own tests. */
import { type Clock, createSystemClock, memorySink } from '@holdfast/call-guard';
import { type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { createLangGraphGuard, type LangGraphGuardOptions } from './guard.js';

const common = { resourceGroup: 'desk', owner: 'desk@team' };
const notUndone = { tool: 'none', avoidBy: 'accept', reason: 'it is a test' } as const;

const deskRegistry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      name: 'look_up',
      summary: 'Look something up.',
      input: z.object({ id: z.string() }),
      output: z.object({ id: z.string(), found: z.boolean() }),
      idempotency: read(),
      ...common,
    }),
    defineTool({
      name: 'send_mail',
      summary: 'Send a mail.',
      input: z.object({ to: z.string() }),
      idempotency: { class: 'irreversible' },
      compensation: notUndone,
      ...common,
    }),
    defineTool({
      name: 'tag',
      summary: 'Put a tag on something.',
      input: z.object({ id: z.string(), requestId: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { argument: 'requestId' },
        serverKeepsKeyFor: '1h',
      },
      ...common,
    }),
    defineTool({
      name: 'set_slot',
      summary: 'Set a slot.',
      input: z.object({ slot: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'Idempotency-Key' },
        serverKeepsKeyFor: '1h',
      },
      ...common,
    }),
  ],
});
type DeskRegistry = typeof deskRegistry;

export interface Desk {
  readonly guard: ReturnType<typeof createLangGraphGuard<DeskRegistry>>;
  readonly ledger: LedgerStore;
  readonly events: ReturnType<typeof memorySink>;
  /** What the tools did, in order. */
  readonly done: string[];
  readonly sendMail: ReturnType<typeof mailTool>;
}

export function desk(
  options: Partial<Omit<LangGraphGuardOptions<DeskRegistry>, 'registry'>> = {},
): Desk {
  const events = memorySink();
  const ledger = options.ledger ?? memoryLedger();
  const done: string[] = [];
  const guard = createLangGraphGuard({
    registry: deskRegistry,
    random: () => 0,
    ...options,
    ledger,
    events: [events],
  });
  return { guard, ledger, events, done, sendMail: mailTool(done) };
}

/** A tool as one writes it: notes what it does, answers what it did. */
export function mailTool(done: string[]) {
  return tool(
    async ({ to }) => {
      done.push(to);
      return `sent to ${to}`;
    },
    { name: 'send_mail', description: 'Send a mail.', schema: z.object({ to: z.string() }) },
  );
}

/** A model that says what it is told to say. */
export class ScriptedModel extends BaseChatModel {
  readonly told: (readonly BaseMessage[])[] = [];

  constructor(private readonly sayings: readonly (AIMessage | Error)[]) {
    super({});
  }

  override bindTools(): this {
    return this;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.sayings[this.told.length] ?? new Error('the script is over');
    this.told.push([...messages]);
    if (message instanceof Error) throw message;
    return { generations: [{ text: message.text, message }] };
  }
}

export function asksFor(name: string, args: Record<string, unknown>, id: string): AIMessage {
  const call = { name, args, id, type: 'tool_call' as const };
  return new AIMessage({ id: `message of ${id}`, content: '', tool_calls: [call] });
}

export function says(text: string): AIMessage {
  return new AIMessage(text);
}

export function toolCall(name: string, args: Record<string, unknown>, id = 'c1') {
  return { type: 'tool_call' as const, name, args, id };
}

/** The system's clock, moved on by `aheadMs`. */
export function movedClock(ahead: { ms: number }): Clock {
  const system = createSystemClock();
  return {
    ...system,
    wallMs: () => system.wallMs() + ahead.ms,
    monotonicMs: () => system.monotonicMs() + ahead.ms,
  };
}

/** A promise to be settled by the test. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
