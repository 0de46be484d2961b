import { describe, expect, it } from 'vitest';
import { withMember } from '../message/json-text.js';
import { type ToolForm, withToolForms } from './tool-list.js';

const response = (tools: string) =>
  `{"jsonrpc": "2.0", "id": 1, "result": {"tools": ${tools}, "nextCursor":"b" , "x":1.0}}`;
const without =
  (left: string): ToolForm =>
  ({ name, text }) =>
    name === left ? undefined : text;
const titled: ToolForm = ({ name, text }) => withMember(text, 'title', `"${name}!"`);

describe('the tools that a host sees', () => {
  it('are as the server wrote them, to the byte, where no form changes them', () => {
    const written = response('[ {"name":"a", "size":1.0} ,3, {"no":"name"}]');
    expect(withToolForms(written, [])).toBe(written);
    expect(withToolForms(written, [without('b')])).toBe(written);
  });

  it('lose what must not be seen, and keep the rest as it was written', () => {
    const written = response('[{"name":"a", "size":1.0}, {"name":"b"}]');
    expect(withToolForms(written, [without('b')])).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a", "size":1.0}],"nextCursor":"b","x":1.0}}',
    );
  });

  it('take each form in turn, all of them by the name that the server knows', () => {
    const renamed: ToolForm = ({ text }) => withMember(text, 'name', '"z"');
    expect(withToolForms(response('[{"name":"a"}]'), [renamed, titled, without('z')])).toContain(
      '[{"name":"z","title":"a!"}]',
    );
  });

  it('are let be where there is no list', () => {
    const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}';
    expect(withToolForms(refusal, [titled])).toBe(refusal);
    expect(withToolForms(response('null'), [titled])).toBe(response('null'));
  });
});
