import { identityOf, wishDigest } from '@holdfast/effect-ledger';
import { type AnyToolEntry, canonicalJson, sha256 } from '@holdfast/tool-registry';
import { checkArguments } from '../arguments/check-arguments.js';
import { parseArguments } from '../arguments/parse.js';
import { NO_REPAIRS, type Parsed } from '../arguments/repair-until-valid.js';
import { unknownArguments } from '../arguments/unknown-arguments.js';
import type { ArgumentProblem } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { placeOfLeftOut } from '../results/left-out.js';
import { after, type Soon } from '../soon.js';
import { type Resolved, refuse, type Stopped, type Validated, type Wish } from './call.js';
import { draftOf } from './draft.js';
import { changesOf, type Edit } from './edit.js';
import type { CallRequest, Sibling } from './request.js';

/** Nothing left out, nothing folded: what holds for a tool without an entry. */
const WHOLE = { volatile: [], trim: [], foldCase: [], nfc: [] };

const NO_WARNINGS: readonly string[] = [];

/** Are these arguments possible? For a call with effects also: which wish is it? */
export function validate(
  call: Resolved,
  { memories }: Pick<GateParts, 'memories'>,
): Soon<Validated | Stopped> {
  const { contract, request } = call;
  if (!contract.declared) return validateUndeclared(call);
  const { entry } = contract;
  const schema = memories.get(request.tool)?.input.forCheck() ?? entry.modelInput;
  const parsed = parseArguments(schema, request.args, entry.exactArguments);
  return parsed instanceof Promise || request.asked !== undefined || hasEffect(entry.idempotency)
    ? validateWish(call, entry, parsed)
    : validateArguments(call, parsed, undefined);
}

/** By the tool's own rules, where they are known; without them everything is possible. */
function validateUndeclared(call: Resolved): Soon<Validated | Stopped> {
  const { host, request } = call;
  const { args } = request;
  if (host.argumentRules === undefined) {
    return undeclared(call, { ok: true, args, input: args, repairs: NO_REPAIRS });
  }
  const checked = checkArguments(host.argumentRules, args);
  return after(checked, (parsed) => undeclared(call, parsed));
}

function undeclared(call: Resolved, parsed: Parsed): Validated | Stopped {
  if (!parsed.ok) return refuseArguments(call, parsed.problems);
  const { args, input, repairs } = parsed;
  const drops = dropped(call, input);
  if ('problems' in drops) return refuseArguments(call, drops.problems);
  const isRead = call.contract.class === 'read';
  const unread = isRead ? undefined : leftOutIn(input);
  if (unread !== undefined) return refuseArguments(call, [unread]);
  const wish = isRead ? undefined : wishOfUndeclared({ ...call.request, args: input });
  const edit = editOf(call, input);
  return { ...call, at: 'validated', args, input, repairs, wish, edit, ...drops };
}

/**
 * Arguments that the tool itself would drop without a word. A misspelled option of a tool with effects must
 * not become a default; a read is made, and says so.
 */
function dropped(
  { contract, host }: Resolved,
  input: unknown,
): { readonly problems: readonly ArgumentProblem[] } | { readonly warnings: readonly string[] } {
  const problems = host.argumentRules?.unknown(input) ?? [];
  if (problems.length === 0) return { warnings: NO_WARNINGS };
  if (contract.class !== 'read') return { problems };
  return {
    warnings: problems.map(
      ({ path, message }) => `argument_ignored: ${path.map(String).join('.')}: ${message}`,
    ),
  };
}

/** A result that was cut is no value: who writes it back writes what stands for it. */
function leftOutIn(args: unknown): ArgumentProblem | undefined {
  const path = placeOfLeftOut(args);
  if (path === undefined) return undefined;
  return { path, message: 'it holds a result that was shortened for you; give the whole of it' };
}

type WithEffect = Exclude<AnyToolEntry['idempotency'], { class: 'read' | 'delegates' }>;

function hasEffect(idempotency: AnyToolEntry['idempotency']): idempotency is WithEffect {
  return idempotency.class !== 'read' && idempotency.class !== 'delegates';
}

/** @param asked what the model asked for, where a person has changed it since */
function validateArguments(
  call: Resolved,
  parsed: Parsed,
  asked: { readonly input: unknown } | undefined,
): Validated | Stopped {
  if (!parsed.ok) return refuseArguments(call, parsed.problems);
  const { args, input, repairs } = parsed;
  const refused = refusedByTool(call, input);
  if (refused.length > 0) return refuseArguments(call, refused);
  const drops = dropped(call, input);
  if ('problems' in drops) return refuseArguments(call, drops.problems);
  const validated = draftOf(call);
  validated.at = 'validated';
  validated.args = args;
  validated.input = input;
  validated.repairs = repairs;
  validated.warnings = drops.warnings;
  validated.edit = editOf(call, input, asked?.input);
  return validated as Validated;
}

/** What the tool itself would refuse although its entry allows it. The key is put in later, by the guard. */
function refusedByTool({ contract, host }: Resolved, input: unknown): readonly ArgumentProblem[] {
  if (host.argumentRules === undefined) return [];
  const carrier =
    contract.declared &&
    contract.entry.idempotency.class === 'idempotent-write' &&
    'argument' in contract.entry.idempotency.sentAs
      ? contract.entry.idempotency.sentAs.argument
      : undefined;
  return host.argumentRules
    .check(input)
    .filter(({ path }) => carrier === undefined || path[0] !== carrier)
    .map(({ path, message }) => ({ path, message }));
}

async function validateWish(
  call: Resolved,
  entry: AnyToolEntry,
  parsing: Soon<Parsed>,
): Promise<Validated | Stopped> {
  const { request } = call;
  const { idempotency } = entry;
  const parsed = await parsing;
  if (!parsed.ok) return refuseArguments(call, parsed.problems);
  const asked = await askedOf(call, entry);
  const validated = validateArguments(call, parsed, asked);
  if (validated.at !== 'validated' || !hasEffect(idempotency)) return validated;
  const unknown = unknownArguments(entry.modelInput, parsed.input);
  const unread = leftOutIn(parsed.input);
  const problems = unread === undefined ? unknown : [...unknown, unread];
  if (problems.length > 0) return refuseArguments(call, problems);
  try {
    const wish = await wishOf(entry, idempotency, request, parsed.args);
    if (validated.edit === undefined || asked === undefined) return { ...validated, wish };
    const askedDigest = sha256(identityOf(named(asked.args), idempotency.key));
    return { ...validated, wish, edit: { ...validated.edit, askedDigest } };
  } catch (error) {
    return refuseArguments(call, [identityProblem(error)]);
  }
}

/** What the model asked for as its tool reads it, where a person has changed it since. */
async function askedOf(
  { request }: Resolved,
  entry: AnyToolEntry,
): Promise<{ readonly args: unknown; readonly input: unknown } | undefined> {
  if (request.asked === undefined) return undefined;
  const parsed = await parseArguments(entry.modelInput, request.asked, entry.exactArguments);
  return parsed.ok ? parsed : undefined;
}

/** @param asked what was asked for, where its tool could read it */
function editOf(
  { request, contract }: Resolved,
  input: unknown,
  asked: unknown = request.asked,
): Edit | undefined {
  if (request.asked === undefined) return undefined;
  const changes = changesOf(asked, input);
  if (changes.length === 0) return undefined;
  if (contract.declared) return { changes };
  const { argsDigest } = wishOfUndeclared({ ...request, args: request.asked });
  return { changes, askedDigest: argsDigest };
}

function refuseArguments(call: Resolved, problems: readonly ArgumentProblem[]): Stopped {
  return refuse(call, failed('invalid_arguments', 'none', { problems }));
}

async function wishOf(
  entry: AnyToolEntry,
  idempotency: WithEffect,
  request: CallRequest,
  args: unknown,
): Promise<Wish> {
  const identity = identityOf(named(args), idempotency.key);
  const equals = idempotency.repeat === 'collapse' ? 0 : await ordinalOf(entry, request, identity);
  return {
    ...identified(entry.name, identity, request.callKey),
    scope: idempotency.key.scope,
    ordinal: idempotency.repeat === 'deliberate' ? equals : 0,
    repeats: idempotency.repeat === 'ask' ? equals : 0,
    ...instanceOf(entry, args),
  };
}

function wishOfUndeclared(request: CallRequest): Wish {
  let identity: string;
  try {
    identity = identityOf(named(request.args), WHOLE);
  } catch {
    // Arguments without a canonical form equal nothing, and the tool keeps working.
    identity = `call:${request.callId}`;
  }
  return {
    ...identified(request.tool, identity, request.callKey),
    scope: 'intent',
    ordinal: 0,
    repeats: 0,
  };
}

function identified(
  tool: string,
  argsIdentity: string,
  callKey: string | undefined,
): Pick<Wish, 'identity' | 'keyGiven' | 'argsDigest' | 'wish'> {
  const keyGiven = callKey !== undefined;
  const identity = callKey ?? argsIdentity;
  return {
    identity,
    keyGiven,
    argsDigest: sha256(argsIdentity),
    wish: wishDigest({ tool, identity, keyGiven }),
  };
}

/** The position among equal calls of the message, by position and never by finishing time. */
async function ordinalOf(
  entry: AnyToolEntry,
  request: CallRequest,
  identity: string,
): Promise<number> {
  const before = (request.siblings ?? []).slice(0, request.place?.position ?? 0);
  const equal = await Promise.all(before.map((sibling) => isEqual(entry, sibling, identity)));
  return equal.filter(Boolean).length;
}

async function isEqual(entry: AnyToolEntry, sibling: Sibling, identity: string): Promise<boolean> {
  const { idempotency } = entry;
  if (sibling.tool !== entry.name || !('key' in idempotency)) return false;
  const parsed = await parseArguments(entry.modelInput, sibling.args, entry.exactArguments);
  if (!parsed.ok) return false;
  try {
    return identityOf(named(parsed.args), idempotency.key) === identity;
  } catch {
    return false;
  }
}

/**
 * Which thing is written to: the value of `serialBy`, else for a keyed write the tool as a whole. Other
 * writes overwrite nothing.
 */
function instanceOf(entry: AnyToolEntry, args: unknown): Pick<Wish, 'instance'> {
  const { serialBy, idempotency } = entry;
  if (serialBy !== undefined && typeof args === 'object' && args !== null) {
    const value: unknown = Reflect.get(args, serialBy);
    const which = value === undefined ? '' : canonicalJson(value);
    return { instance: `${entry.resourceGroup}/${serialBy}:${which}` };
  }
  return idempotency.class === 'idempotent-write' ? { instance: `tool:${entry.name}` } : {};
}

/** Arguments by name, left-out ones left out; a tool that takes a single text has one without a name. */
function named(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
    : { '': args };
}

function identityProblem(error: unknown): ArgumentProblem {
  const path =
    typeof error === 'object' && error !== null && 'path' in error && Array.isArray(error.path)
      ? error.path.map(String)
      : [];
  return { path, message: error instanceof Error ? error.message : String(error) };
}
