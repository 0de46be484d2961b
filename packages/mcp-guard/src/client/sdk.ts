import { isRecord } from '../message/message.js';

/** A message as the SDKs hand it about: parsed. */
export type SdkMessage = Readonly<Record<string, unknown>>;

/** A transport of either version of the SDK: what is used of it. */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: SdkMessage, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: SdkMessage, extra?: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly sessionId?: string | undefined;
  setProtocolVersion?(version: string): void;
}

/** A client of either version of the SDK: what is used of it. */
export interface SdkClient {
  readonly transport: SdkTransport | undefined;
  connect(transport: SdkTransport, ...rest: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
  request(request: SdkMessage, schema: unknown, options?: object): Promise<unknown>;
  callTool(params: SdkMessage, ...rest: readonly unknown[]): Promise<unknown>;
  listTools(params?: SdkMessage, options?: object): Promise<unknown>;
  /** Version 2 only. */
  getProtocolEra?(): 'legacy' | 'modern' | undefined;
  getServerCapabilities?(): { readonly tools?: object | undefined } | undefined;
}

const METHODS = ['connect', 'close', 'request', 'callTool', 'listTools'];

export function isSdkClient(value: unknown): value is SdkClient {
  return isRecord(value) && METHODS.every((name) => typeof value[name] === 'function');
}

/** The key in `_meta` by which calls of the protocol without sessions say so. */
const STATELESS = 'io.modelcontextprotocol/protocolVersion';

/** Whether a message is of a protocol that knows no sessions, and that is not guarded. */
export function isStateless({ params }: SdkMessage): boolean {
  return isRecord(params) && isRecord(params._meta) && STATELESS in params._meta;
}
