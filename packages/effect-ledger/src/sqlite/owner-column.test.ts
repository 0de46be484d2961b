import { expect, it } from 'vitest';
import type { Owner } from '../effect.js';
import { ownerColumn } from './owner-column.js';

const ada: Owner = { id: 'ada', host: 'here', pid: 1, processStart: '7' };
const bob: Owner = { ...ada, id: 'bob', pid: 2 };

it('writes each owner as itself, and reads back whoever was written, last or before', () => {
  const owners = ownerColumn();
  const written = [ada, bob, ada, bob].map((owner) => owners.write(owner));
  expect(written).toEqual([ada, bob, ada, bob].map((owner) => JSON.stringify(owner)));
  expect(written.map((holder) => owners.read({ holder }, 'holder'))).toEqual([ada, bob, ada, bob]);
});

it('reads what another process wrote', () => {
  const holder = JSON.stringify(bob);
  expect(ownerColumn().read({ holder }, 'holder')).toEqual(bob);
  expect(() => ownerColumn().read({ holder: null }, 'holder')).toThrow(/holder/);
});
