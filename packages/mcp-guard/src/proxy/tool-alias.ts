import { sha256 } from '@holdfast/tool-registry';
import { withMember } from '../message/json-text.js';
import type { ListedTool } from './tool-list.js';

/** Names that every provider of models takes. */
const TAKEN_BY_ALL = /^[a-zA-Z0-9_-]{1,64}$/;

const MOST = 64;
const DIGITS = 8;

/** What an alias ends with. */
const ALIAS = /_[0-9a-f]{8}$/;

/**
 * Another name for a tool whose own some providers of models refuse, which would end the whole turn. Always
 * the same for the same name, and no two names have the same. Undefined for a name that all take.
 *
 * @example aliasOf('files/read.all') // 'files_read_all_' and eight digits of the name's digest
 */
export function aliasOf(name: string): string | undefined {
  if (TAKEN_BY_ALL.test(name)) return undefined;
  const legible = name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, MOST - DIGITS - 1);
  return `${legible}_${sha256(name).slice(0, DIGITS)}`;
}

/** Whether a name can be one of these. */
export function mayBeAlias(name: string): boolean {
  return TAKEN_BY_ALL.test(name) && ALIAS.test(name);
}

/** A tool as a host sees it: under its alias, if it has one. */
export function aliased({ name, text }: ListedTool): string {
  const alias = aliasOf(name);
  return alias === undefined ? text : withMember(text, 'name', JSON.stringify(alias));
}
