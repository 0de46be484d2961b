import type { HeaderSource } from '../header-fields.js';

/** One error as its readers see it, wherever its maker keeps things. */
export interface ErrorView {
  readonly error: object;
  /** Empty where there is none. */
  readonly name: string;
  /** The name of its class, which many clients do not repeat as `name`. */
  readonly className: string;
  readonly message: string;
  readonly code?: string | number;
  /** An HTTP status of 400 to 599. */
  readonly status?: number;
  readonly headers?: HeaderSource;
  /** The answer's body: an object where it is JSON, also where it stands in the message. */
  readonly body?: unknown;
}

/** Longer bodies are read by nobody. */
const MOST_BODY = 100_000;

/** Reads an error of any client: own fields first, then those of its `response`. */
export function viewOf(error: object): ErrorView {
  const response = objectAt(error, 'response');
  const holders = response === undefined ? [error] : [error, response];
  const message = textAt(error, 'message') ?? textAt(error, 'statusText') ?? '';
  const code = codeOf(error);
  const status = statusOf(holders, error, code);
  const headers = headersOf(holders);
  const body = bodyOf(holders) ?? jsonWithin(message);
  return {
    error,
    name: textAt(error, 'name') ?? '',
    className: error.constructor?.name ?? '',
    message,
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
}

/**
 * What is said in an answer's body: OpenAI, Anthropic, Google and most others wrap it in `error`, some
 * clients wrap that once more as the text of a message.
 */
export function saidIn(body: unknown): object | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof outer !== 'object' || outer === null) return undefined;
  const said = objectAt(outer, 'error') ?? outer;
  const wrapped = jsonWithin(textAt(said, 'message') ?? '');
  const inner = Array.isArray(wrapped) ? undefined : wrapped;
  return inner === undefined ? said : (objectAt(inner, 'error') ?? said);
}

/** Everything of an error that is text, for those who look for signs in it. */
export function textOf({ message, body }: ErrorView): string {
  if (body === undefined) return message;
  try {
    return `${message}\n${typeof body === 'string' ? body : JSON.stringify(body)}`;
  } catch {
    // A body that leads back to itself.
    return message;
  }
}

/** Where bodies say what is wrong: most services, OAuth, RFC 9457, frameworks. */
const MESSAGES = ['message', 'error_description', 'detail', 'title', 'error'];

/** The most telling message: what the other side said rather than what its client makes of it. */
export function messageOf(view: ErrorView): string | undefined {
  const said = saidIn(view.body);
  const messages = said === undefined ? [] : MESSAGES.map((name) => textAt(said, name));
  return [...messages, view.message].find((text) => text !== undefined && text !== '');
}

export function textAt(holder: object, name: string): string | undefined {
  const value: unknown = name in holder ? Reflect.get(holder, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(holder: object, name: string): number | undefined {
  const value: unknown = name in holder ? Reflect.get(holder, name) : undefined;
  return typeof value === 'number' ? value : undefined;
}

function objectAt(holder: object, name: string): object | undefined {
  const value: unknown = name in holder ? Reflect.get(holder, name) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

function codeOf(error: object): string | number | undefined {
  return textAt(error, 'code') ?? numberAt(error, 'code');
}

/** axios, got, ky, fetch, superagent, undici, the AWS SDK; gaxios and MCP have it as their `code`. */
function statusOf(
  holders: readonly object[],
  error: object,
  code: string | number | undefined,
): number | undefined {
  const metadata = objectAt(error, '$metadata');
  const found = [
    ...holders.flatMap((holder) => [numberAt(holder, 'status'), numberAt(holder, 'statusCode')]),
    metadata === undefined ? undefined : numberAt(metadata, 'httpStatusCode'),
    /^[45]\d\d$/.test(String(code)) ? Number(code) : undefined,
  ];
  return found.find((status = 0) => status >= 400 && status <= 599);
}

function headersOf(holders: readonly object[]): HeaderSource | undefined {
  for (const holder of [...holders].reverse()) {
    const headers = objectAt(holder, 'headers') ?? objectAt(holder, 'responseHeaders');
    if (headers !== undefined) return headers as HeaderSource;
  }
  return undefined;
}

function bodyOf(holders: readonly object[]): unknown {
  for (const holder of holders) {
    for (const name of ['error', 'data', 'body', 'responseBody']) {
      const value: unknown = name in holder ? Reflect.get(holder, name) : undefined;
      if (typeof value === 'string' && value !== '') return jsonWithin(value) ?? value;
      // A stream, and a client's own error object, are no bodies.
      if (typeof value === 'object' && value !== null && !isStream(value)) return value;
    }
  }
  return undefined;
}

function isStream(value: object): boolean {
  return (
    'getReader' in value || 'pipe' in value || ArrayBuffer.isView(value) || value instanceof Error
  );
}

/** The JSON object in a text, behind whatever a client wrote before it. */
function jsonWithin(text: string): object | undefined {
  const start = text.search(/[[{]\s*["{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end < start || text.length > MOST_BODY) return undefined;
  try {
    const value: object = JSON.parse(text.slice(start, end + 1));
    return value;
  } catch {
    return undefined;
  }
}
