import type { CallContext, Guard, Run, RunIdentity, WarningCode } from '@holdfast/call-guard';
import { tellChange } from '@holdfast/tool-registry/lock';
import type { Framed } from '../message/line-framer.js';
import {
  callsTool,
  isRecord,
  type Message,
  type MessageId,
  memberText,
  type RequestMessage,
  readMessages,
} from '../message/message.js';
import { idBetween, salvage } from '../message/stray-output.js';
import { PinnedTools, type Pinning } from '../pins/pinned-tools.js';
import type { ResultReader } from '../results/result-reader.js';
import { CallActivity } from './call-activity.js';
import type { CallParts, ResultSetting } from './call-parts.js';
import { errorResponse, resultResponse } from './call-result.js';
import type { Front } from './front.js';
import { guardCall } from './guarded-call.js';
import { OpenQuestions } from './open-questions.js';
import { OwnRequests } from './own-requests.js';
import { passCall } from './passed-call.js';
import { aliased } from './tool-alias.js';
import { readToolCall, type ToolCall } from './tool-call.js';
import { ToolDirectory } from './tool-directory.js';
import { type ToolForm, withOwnTool, withToolForms } from './tool-list.js';
import { type Upstream, type UpstreamEvents, UpstreamLost } from './upstream.js';

/** The protocol versions whose tool calls are guarded. */
const GUARDED_VERSIONS: ReadonlySet<string> = new Set([
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
]);

/** For how long an equal call is a repetition, where the host names no intent, in milliseconds. */
const REPETITION = { duplicateMs: 2_000, suspicionMs: 600_000 };

/** For a call whose host sets no deadline, in milliseconds. */
const DEADLINE_MS = 600_000;

/** A run of the same guard, which the call belongs to. */
export interface Around {
  readonly run: Run;
  /** The gate that the call has passed already, as the tool that it is. */
  readonly passed?: CallContext;
  /** What kept it from an answer, where it has passed. */
  onError?(error: unknown): void;
}

export interface SessionOptions {
  readonly guard: Guard;
  /** What the server is called; its effects belong to this name. */
  readonly server: string;
  readonly front: Front;
  /** Makes the way to the server, which tells of itself by these events. */
  connect(events: UpstreamEvents): Upstream;
  /** What of the server's tools was reviewed. */
  readonly pinning?: Pinning;
  /** What a call of the host stands in, where the host is this process. Asked while it makes the call. */
  around?(call: ToolCall): Around | undefined;
  /** How the host sees the server's tools. Default: as the server lists them. */
  readonly toolForms?: readonly ToolForm[];
  /** What becomes of results that are long. Default: they are given as they are. */
  readonly results?: ResultSetting;
  /** Whether a server's word is enough that a tool only reads. Default: no. */
  readonly trustsAnnotations?: boolean;
  /**
   * `taken-by-all`: a tool whose name some providers of models refuse has another one for the host (default);
   * `own`: all have their own.
   */
  readonly toolNames?: 'own' | 'taken-by-all';
}

/**
 * One session between a host and a server. Messages pass in the order in which they came, as they came;
 * calls of tools go through the gate.
 */
export class GuardedSession {
  readonly #upstream: Upstream;
  readonly #own: OwnRequests;
  readonly #directory: ToolDirectory;
  readonly #pins: PinnedTools | undefined;
  /** Guarded calls of the host that are under way, by id. */
  readonly #calls = new Map<
    MessageId,
    {
      readonly id: MessageId;
      readonly controller: AbortController;
      readonly activity: CallActivity;
    }
  >();
  readonly #underWay = new Set<Promise<void>>();
  /** Requests of the host that the server has not answered, by id. */
  readonly #asked = new Map<MessageId, RequestMessage>();
  readonly #questions: OpenQuestions;
  readonly #id: string;
  /** Of the run of calls under no intent. */
  readonly #ownNames: Pick<RunIdentity, 'runId' | 'intentId'>;
  /** What most calls share: those that stand in no run of the host's. */
  readonly #parts: CallParts;
  /** Of a call that is over and was not given up: nobody listens to it, and to make one takes long. */
  #unusedController: AbortController | undefined;
  #initialize: RequestMessage | undefined;
  #isGuarded = true;

  constructor(private readonly options: SessionOptions) {
    const { guard } = options;
    this.#id = guard.adapter.newId();
    this.#ownNames = namesOf(`mcp:${options.server}`, this.#id);
    this.#upstream = options.connect({
      onMessage: (framed, relatedTo) => this.#fromUpstream(framed, relatedTo),
      onUnanswered: (id, error) => this.#unanswered(id, error),
      onLost: (why) => this.#serverLost(why),
      onRestarted: () => this.#introduce(),
      onFull: (isFull) => options.front.hold?.(isFull),
      onPrinted: (text) => options.front.log(text),
    });
    this.#own = new OwnRequests(this.#upstream, this.#id);
    this.#questions = new OpenQuestions(guard.adapter.clock, {
      server: (text) => this.#upstream.send({ text }, 'in-turn'),
      host: (text, relatedTo) => options.front.tell(text, relatedTo),
    });
    const warn = (code: WarningCode, message: string): void =>
      guard.adapter.emit('warning', this.#run().subject, { code, message });
    this.#pins =
      options.pinning === undefined
        ? undefined
        : new PinnedTools(options.pinning, (change) =>
            warn('tool_changed', tellChange(change).join('\n')),
          );
    this.#directory = new ToolDirectory(this.#own, guard.adapter.clock, warn, (definitions) =>
      this.#pins?.check(definitions),
    );
    this.#parts = this.#partsOf(undefined);
  }

  /** A line of the host. */
  fromHost(line: string): void {
    const messages = readMessages(line);
    if (messages.length === 0) this.#unread(line);
    for (const message of messages) this.heard(message);
  }

  /** One message of the host. */
  heard(message: Message): void {
    switch (message.is) {
      case 'request': {
        if (message.method === 'initialize') this.#initialize = message;
        const call =
          message.method === 'tools/call' && this.#isGuarded ? readToolCall(message) : undefined;
        if (call === undefined) this.#ask(message);
        else if (call.tool === this.#reader?.name) this.#read(call, this.#reader);
        else this.#guard(call);
        return;
      }
      case 'notification':
        if (message.method === 'notifications/cancelled') this.#cancel(message);
        else if (message.method === 'tools/call' && this.#acts) {
          // A server that did it all the same would not say so, and nobody would know.
          this.options.front.log('a tools/call without an id was not passed on\n');
        } else this.#pass(message);
        return;
      case 'response':
        if (this.#questions.answered(message.id)) this.#pass(message);
    }
  }

  /** What cannot be read is the server's to refuse, unless it would get a call past the guard. */
  #unread(line: string): void {
    if (this.#acts && callsTool(line)) {
      const message = 'Invalid Request: a tools/call needs "jsonrpc": "2.0" and an id';
      const error = { code: -32600, message };
      this.options.front.tell(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    } else this.#upstream.send({ text: line }, 'in-turn');
  }

  /** Takes no more from the server for now, because the host does not read, or does so again. */
  hold(isHeld: boolean): void {
    this.#upstream.hold?.(isHeld);
  }

  /** Gives up what is under way, waits until the ledger knows, and leaves the server. */
  async end(): Promise<void> {
    for (const { controller } of this.#calls.values()) controller.abort();
    this.#questions.end();
    await Promise.all([...this.#underWay, this.#upstream.close()]);
  }

  /** Resolves when the calls that are under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #fromUpstream(framed: Framed, relatedTo: MessageId | undefined): readonly Message[] {
    if ('oversized' in framed) {
      const { bytes, head, tail } = framed.oversized;
      const id = idBetween(head, tail) ?? relatedTo;
      if (id === undefined || this.#own.settleOversized(id, bytes)) return [];
      this.#answerInstead(
        id,
        `the server's answer has ${bytes} bytes, more than a message may have`,
      );
      return [];
    }
    let messages = readMessages(framed.line);
    if (messages.length === 0) {
      const salvaged = salvage(framed.line);
      this.options.front.log(`${salvaged.noise}\n`);
      messages = salvaged.messages;
    }
    for (const message of messages) this.#fromServer(message, relatedTo);
    return messages;
  }

  #unanswered(id: MessageId, error: unknown): void {
    if (this.#own.fail(id, error)) return;
    this.#answerInstead(id, error instanceof Error ? error.message : String(error));
  }

  #serverLost(why: string): void {
    const hadBegun = this.#hasBegun;
    this.#own.lose(why);
    this.#questions.end();
    for (const { id } of [...this.#asked.values()]) this.#answerInstead(id, why);
    this.#directory.forget();
    if (!hadBegun) this.options.front.noServer(why);
  }

  /** Introduces the host to a server that was started anew, as it introduced itself to the first one. */
  async #introduce(): Promise<void> {
    this.#directory.forget();
    if (this.#initialize === undefined) return;
    const params = memberText(this.#initialize.text, 'params') ?? '{}';
    const reply = await this.#own.request('initialize', () => params, { when: 'at-once' });
    if (reply.replied !== 'result') throw new UpstreamLost(false, 'the server refused to begin');
    const method = 'notifications/initialized';
    this.#upstream.send({ text: `{"jsonrpc":"2.0","method":"${method}"}`, method }, 'at-once');
  }

  /** Whether the server has been introduced to the host once. */
  get #hasBegun(): boolean {
    return this.#initialize !== undefined && !this.#asked.has(this.#initialize.id);
  }

  /** The server knows a guarded call by another id, and has no use for what it has answered. */
  #cancel(message: Extract<Message, { is: 'notification' }>): void {
    const { params } = message;
    const id = isRecord(params) ? params.requestId : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#calls.get(id)?.controller.abort();
    if (!this.#asked.delete(id)) return;
    this.#pass(message);
    this.#upstream.giveUp(id);
    this.options.front.dropped(id);
  }

  /** @param onStreamOf our request on whose stream it came, where the way to the server has such streams */
  #fromServer(message: Message, onStreamOf: MessageId | undefined): void {
    switch (message.is) {
      case 'response':
        if (this.#own.settle(message)) return;
        if (message.id === null) this.options.front.tell(message.text);
        // The server knows that call by another id: this is not its answer.
        else if (this.#calls.has(message.id) && !this.#asked.has(message.id)) {
          this.options.front.log(`${message.text}\n`);
        } else this.options.front.answer(this.#answered(message.id, message.text), message.id);
        return;
      case 'notification': {
        const { params } = message;
        if (message.method === 'notifications/tools/list_changed') this.#directory.forget();
        const isOwn =
          message.method === 'notifications/progress' &&
          isRecord(params) &&
          this.#own.progress(params);
        if (isOwn) return;
        break;
      }
      case 'request':
        this.#asks(message, this.#causeOf(message, onStreamOf));
    }
    this.options.front.tell(message.text, this.#causeOf(message, onStreamOf));
  }

  /** A question during a call: of that call, if it is known, else of all that are under way. */
  #asks(message: RequestMessage, cause: MessageId | undefined): void {
    if (!this.#acts) return;
    const calls = [...this.#calls.values()].filter(({ id }) => cause === undefined || id === cause);
    this.#questions.ask(
      message,
      calls.map(({ activity }) => activity),
      cause,
    );
  }

  /**
   * The host's request to which a message of the server belongs: what its stream says, or its progress token;
   * else the one that alone is open.
   */
  #causeOf(
    message: Exclude<Message, { is: 'response' }>,
    onStreamOf: MessageId | undefined,
  ): MessageId | undefined {
    if (onStreamOf !== undefined) return this.#own.hostsOf(onStreamOf);
    if (message.method === 'notifications/progress') {
      const token = isRecord(message.params) ? message.params.progressToken : undefined;
      return [...this.#asked.values()].find((asked) => tokenOf(asked) === token)?.id;
    }
    if (this.#calls.size + this.#asked.size !== 1) return undefined;
    const [alone] = [...this.#calls.values(), ...this.#asked.values()];
    return alone?.id;
  }

  /** An answer of the server, as the host is to see it. */
  #answered(id: MessageId, text: string): string {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    switch (asked?.method) {
      case 'initialize':
        this.#agree(text);
        return text;
      case 'tools/list':
        return this.#listed(text);
      default:
        return text;
    }
  }

  /** The server's tools as the host is to see them, and the guard's own behind the last of them. */
  #listed(text: string): string {
    const { toolForms = [] } = this.options;
    const pins = this.#pins;
    // A page does not say what is gone.
    if (pins !== undefined) void this.#directory.names();
    const forms: ToolForm[] = pins === undefined ? [] : [(tool) => pins.form(tool)];
    if (this.#acts && this.options.toolNames !== 'own') forms.push(aliased);
    const formed = withToolForms(text, [...forms, ...toolForms]);
    return this.#reader === undefined ? formed : withOwnTool(formed, this.#reader.definition);
  }

  /** Whoever only watches gives a host no tools. */
  get #reader(): ResultReader | undefined {
    return this.#acts ? this.options.results?.reader : undefined;
  }

  /** Whether the guard does anything, and does not only watch or let pass. */
  get #acts(): boolean {
    return this.#isGuarded && this.options.guard.adapter.mode() === 'enforce';
  }

  #read(call: ToolCall, reader: ResultReader): void {
    const answered = reader
      .read(call.args)
      .then((result) => this.options.front.answer(resultResponse(call.id, result), call.id));
    this.#underWay.add(answered);
    void answered.finally(() => this.#underWay.delete(answered));
  }

  /** What the protocol's version is, is settled by the server's answer to `initialize`. */
  #agree(text: string): void {
    const version = memberText(text, 'result', 'protocolVersion');
    this.#isGuarded = version === undefined || GUARDED_VERSIONS.has(JSON.parse(version));
    if (this.#isGuarded) return;
    this.options.guard.adapter.emit('warning', this.#run().subject, {
      code: 'protocol_unguarded',
      message: `calls of protocol version ${version} pass unguarded`,
    });
  }

  #ask(message: RequestMessage): void {
    this.#asked.set(message.id, message);
    this.#pass(message);
  }

  #pass(message: Message): void {
    const { text } = message;
    const method = message.is === 'response' ? {} : { method: message.method };
    const id = message.is === 'request' ? { id: message.id } : {};
    this.#upstream.send({ text, ...method, ...id }, 'in-turn');
  }

  #answerInstead(id: MessageId, why: string): void {
    if (!this.#asked.delete(id)) return;
    this.options.front.answer(errorResponse(id, why), id);
  }

  #guard(call: ToolCall): void {
    const controller = this.#unusedController ?? new AbortController();
    this.#unusedController = undefined;
    const { signal } = controller;
    const activity = new CallActivity();
    this.#calls.set(call.id, { id: call.id, controller, activity });
    const around = this.options.around?.(call);
    const parts = around?.run === undefined ? this.#parts : this.#partsOf(around.run);
    let hasResponse = false;
    const respond = (response: string): void => {
      if (hasResponse) return;
      hasResponse = true;
      // Who gave up waits for nothing any more.
      if (signal.aborted) this.options.front.dropped(call.id);
      else this.options.front.answer(response, call.id);
      this.#calls.delete(call.id);
    };
    const answering =
      around?.passed === undefined
        ? guardCall(call, signal, activity, parts, respond)
        : passCall(call, signal, around.passed, activity, parts, respond);
    const over = answering
      .catch((error: unknown) => {
        around?.onError?.(error);
        respond(errorResponse(call.id, String(error)));
      })
      .then(() => {
        this.#underWay.delete(over);
        if (!signal.aborted) this.#unusedController = controller;
      });
    this.#underWay.add(over);
  }

  /** @param run the run around a call, which tells its wishes apart by itself */
  #partsOf(run: Run | undefined): CallParts {
    const { guard, front } = this.options;
    return {
      guard: guard.adapter,
      registry: guard.registry,
      own: this.#own,
      directory: this.#directory,
      pins: this.#pins,
      session: this.#id,
      runOf: ({ intent }) => run ?? this.#run(intent),
      ...(run === undefined ? { repetition: REPETITION } : {}),
      deadlineMs: DEADLINE_MS,
      upstream: this.#upstream,
      results: this.options.results ?? {},
      trustsAnnotations: this.options.trustsAnnotations ?? false,
      tell: (text, relatedTo) => front.tell(text, relatedTo),
    };
  }

  /** Calls under an intent belong to it; all others to the server's name, over all sessions with it. */
  #run(intent?: string): Run {
    const { adapter } = this.options.guard;
    const names = intent === undefined ? this.#ownNames : namesOf(intent, this.#id);
    return adapter.openRun({ tenant: adapter.tenant, ...names }, this.#id).run;
  }
}

/** A run is of one session alone; its intent may be of many. */
function namesOf(intentId: string, session: string): Pick<RunIdentity, 'runId' | 'intentId'> {
  return { runId: `${intentId}/${session}`, intentId };
}

function tokenOf({ params }: RequestMessage): unknown {
  const meta = isRecord(params) ? params._meta : undefined;
  return isRecord(meta) ? meta.progressToken : undefined;
}
