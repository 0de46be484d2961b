import type { z } from 'zod';
import { argumentNames, withoutArgument } from '../input-schema.js';
import {
  checkArgumentName,
  checkChoice,
  checkDuration,
  objectOf,
  type Report,
  settingsOf,
  show,
} from './settings.js';

const writeSettings = ['class', 'key', 'repeat', 'onUnknown', 'onEdit', 'effectOnError'] as const;
/** Every class with the settings it may have. */
const settingsByClass = new Map<string, readonly string[]>([
  ['read', ['class']],
  ['delegates', ['class']],
  ['irreversible', writeSettings],
  ['idempotent-write', [...writeSettings, 'sentAs', 'serverKeepsKeyFor']],
]);

/** A header's name by RFC 9110: a token. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A key of `_meta` by the protocol of 2025-11-25: labels with dots between as a prefix, and a name. */
const metaName =
  /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;
const recipeLists = ['identity', 'volatile', 'trim', 'foldCase', 'nfc'] as const;

function checkRecipe(
  value: unknown,
  field: string,
  input: z.ZodType | undefined,
  report: Report,
): Readonly<Record<string, unknown>> | undefined {
  const key = settingsOf(value, field, ['scope', ...recipeLists], report);
  if (key === undefined) return undefined;
  const names = input && argumentNames(input);
  checkChoice(key.scope, `${field}.scope`, ['intent', 'business'], report);
  for (const list of recipeLists) {
    const given = key[list];
    if (given === undefined) continue;
    if (!Array.isArray(given)) {
      report(`${field}.${list}`, `${show(given)} is not a list`, 'give a list of argument names');
      continue;
    }
    given.forEach((name: unknown, i) => {
      checkArgumentName(name, `${field}.${list}[${i}]`, names, report);
    });
  }
  const { identity, volatile } = key;
  if (key.scope === 'business' && Array.isArray(identity) && identity.length === 0) {
    const reason = 'it is empty, so that there could be one effect across all runs';
    report(`${field}.identity`, reason, 'name the arguments that make two calls the same wish');
  }
  if (Array.isArray(identity) && Array.isArray(volatile)) {
    volatile.forEach((name: unknown, i) => {
      if (!identity.includes(name)) return;
      const reason = `${show(name)} is in identity too`;
      report(`${field}.volatile[${i}]`, reason, 'name it in one of the two');
    });
  }
  return key;
}

function checkCarrier(
  value: unknown,
  field: string,
  input: z.ZodType | undefined,
  key: Readonly<Record<string, unknown>> | undefined,
  report: Report,
): void {
  const carrier = settingsOf(value, field, ['header', 'argument', 'meta'], report);
  if (carrier === undefined) return;
  const { header, argument, meta } = carrier;
  const given = [header, argument, meta].filter((name) => name !== undefined).length;
  if (given !== 1) {
    const reason = given === 0 ? 'it names no carrier' : 'it names several carriers';
    const fix =
      "give one of { header: 'Idempotency-Key' }, { argument: 'requestId' }, { meta: 'com.example/request-id' }";
    report(field, reason, fix);
  } else if (meta !== undefined) {
    if (typeof meta === 'string' && metaName.test(meta)) return;
    const fix = "give a name such as 'com.example/request-id'";
    report(`${field}.meta`, `${show(meta)} is not the name of a key in _meta`, fix);
  } else if (header !== undefined) {
    if (typeof header === 'string' && headerName.test(header)) return;
    const fix = "give a name such as 'Idempotency-Key'";
    report(`${field}.header`, `${show(header)} is not the name of an HTTP header`, fix);
  } else {
    checkArgumentName(argument, `${field}.argument`, input && argumentNames(input), report);
    if (typeof argument !== 'string' || input === undefined) return;
    if (Array.isArray(key?.identity) && key.identity.includes(argument)) {
      const reason = `${show(argument)} is in the key's identity, but carries the key`;
      report(`${field}.argument`, reason, 'take it out of key.identity');
    }
    const known = argumentNames(input)?.includes(argument) ?? true;
    if (known && withoutArgument(input, argument) === undefined) {
      const reason = `${show(argument)} cannot be taken out of this input for the model`;
      report(`${field}.argument`, reason, 'make the input a plain z.object without refinements');
    }
  }
}

function checkOnUnknown(value: unknown, field: string, report: Report): void {
  if (value === 'compensate') {
    const reason = "'compensate' comes with the saga, which this version does not have";
    report(field, reason, "give 'hand-off' | 'assume-done'");
  } else checkChoice(value, field, ['hand-off', 'assume-done'], report);
}

/** The effect class with its key. Returns the class, if it is one. */
export function checkIdempotency(
  value: unknown,
  field: string,
  input: z.ZodType | undefined,
  report: Report,
): string | undefined {
  const example =
    "read(), delegates(), { class: 'idempotent-write', … } or { class: 'irreversible', … }";
  const declared = objectOf(value, field, example, report);
  if (declared === undefined) return undefined;
  const effectClass = declared.class;
  const known = typeof effectClass === 'string' ? settingsByClass.get(effectClass) : undefined;
  if (known === undefined || typeof effectClass !== 'string') {
    checkChoice(effectClass, `${field}.class`, [...settingsByClass.keys()], report, 'required');
    return undefined;
  }
  const settings = settingsOf(declared, field, known, report) ?? {};
  if (effectClass === 'read' || effectClass === 'delegates') return effectClass;

  const recipe =
    settings.key === undefined
      ? undefined
      : checkRecipe(settings.key, `${field}.key`, input, report);
  checkChoice(settings.repeat, `${field}.repeat`, ['collapse', 'deliberate', 'ask'], report);
  checkOnUnknown(settings.onUnknown, `${field}.onUnknown`, report);
  checkChoice(settings.onEdit, `${field}.onEdit`, ['conflict', 'new-effect'], report);
  checkChoice(settings.effectOnError, `${field}.effectOnError`, ['none', 'unknown'], report);
  if (effectClass === 'idempotent-write') {
    checkCarrier(settings.sentAs, `${field}.sentAs`, input, recipe, report);
    const window = `${field}.serverKeepsKeyFor`;
    checkDuration(settings.serverKeepsKeyFor, window, { minMs: 1 }, report);
  }
  return effectClass;
}

/** The argument that carries the key and that the model never sees, if the declaration names one. */
export function carrierArgument(idempotency: unknown): string | undefined {
  const carrier = property(idempotency, 'sentAs');
  const argument = property(carrier, 'argument');
  return typeof argument === 'string' ? argument : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
