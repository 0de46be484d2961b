import { type Effect, isGone } from '@holdfast/effect-ledger';
import type { Contract } from '../call/call.js';
import { sentArguments } from '../call/frozen-arguments.js';
import type { CallHost } from '../call/host.js';
import { rowOf } from '../call/settle.js';
import { settleWithoutSending } from '../call/settle-without-sending.js';
import type { GateParts } from '../gate-parts.js';
import { emitProbed, probeEffect } from './probe.js';
import { recoveryOf } from './recover.js';

/**
 * Settles what an earlier process left open in a run, as far as it can be settled without sending
 * anything: rows of owners that are gone become unknown, and unknown ones are asked for where they can
 * be. Keyed writes stay unknown until they are asked for again: then they are sent again.
 */
export async function settleOpen(host: CallHost, parts: GateParts): Promise<void> {
  const { run } = host;
  await run.view.load();
  for (const { effect } of run.view.all()) {
    if (effect.runId !== run.runId) continue;
    const current = await withoutGoneOwner(effect, host, parts);
    if (current.state === 'unknown') await askAbout(current, host, parts);
  }
}

async function withoutGoneOwner(
  effect: Effect,
  { run }: CallHost,
  parts: GateParts,
): Promise<Effect> {
  if (effect.state !== 'attempting' || !isGone(effect.owner)) return effect;
  const moved = await parts.ledger.move(
    effect.key,
    { version: effect.version },
    {
      to: 'unknown',
      since: parts.clock.wallMs(),
      reason: 'the process that sent it is gone',
      evidence: { by: 'owner-gone' },
    },
  );
  const row = rowOf(moved) ?? effect;
  run.view.learn(row);
  if ('moved' in moved) {
    const subject = { ...run.subject, tool: effect.tool, idempotencyKey: effect.key };
    parts.emit('effect_settled', subject, { outcome: 'unknown', by: 'owner-gone' });
  }
  return row;
}

async function askAbout(
  effect: Extract<Effect, { state: 'unknown' }>,
  host: CallHost,
  parts: GateParts,
): Promise<void> {
  const entry = parts.registry.tools.get(effect.tool);
  if (entry === undefined || entry.idempotency.class === 'read' || parts.removed.has('probe'))
    return;
  const contract: Contract = { declared: true, class: entry.idempotency.class, entry };
  if (recoveryOf(effect, contract, parts.clock.wallMs()) !== 'probe') return;
  const callId = effect.place.callId ?? effect.key;
  const sent = await sentArguments(effect, entry);
  const call = {
    request: { tool: effect.tool, args: sent?.input, callId },
    host,
    contract,
    args: sent?.args,
  };
  const finding = await probeEffect(effect, entry, sent?.args, host.run, parts);
  emitProbed(call, { key: effect.key }, finding, parts);
  if (finding.found === 'one') {
    await settleWithoutSending(call, effect, { ...finding, by: 'probe' }, parts);
  }
}
