import { createGuard } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import { z } from 'zod';
const sendMail = defineTool({ name: 'send_mail', summary: 's', input: z.object({ to: z.email(), subject: z.string(), body: z.string() }), idempotency: { class: 'irreversible' }, compensation: { tool: 'none', avoidBy: 'accept', reason: 'x' }, resourceGroup: 'mail', owner: 'b' });
const registry = defineRegistry({ name: 'bench', tools: [sendMail], resourceGroups: { mail: {} } });
// a ledger that does nearly nothing: only the gate is measured
let seq=0; const rows=new Map<string,any>();
const ledger:any={kind:'memory',location:'',id:'x',admit:async()=>({}),endRun:async()=>{},runs:async()=>[],find:async()=>[],
 claim:async(d:any,c:any)=>{const e={...d,identity:undefined,key:'k'+seq,wish:'w'+seq,generation:0,version:1,startSeq:++seq,attempts:[{id:c.attemptId,startedAt:1}],state:'attempting',owner:c.owner};return {found:'nothing',effect:e,epoch:1}},
 move:async(k:any,x:any,t:any)=>({moved:{key:k,version:2,startSeq:seq,state:'succeeded',result:t.result,undo:t.undo,settlement:{settled:'open'},attempts:[],wish:'',instance:'',place:{}}}),stamp:async()=>{},close:async()=>{}};
for (const [name,l] of [['null',ledger],['memory',memoryLedger()]] as const) {
const guard = createGuard({ registry, ledger: l });
for (let r = 0; r < 4; r++) {
  const n = 3000; const t = process.cpuUsage();
  await guard.inRun({ intentId: 'i' + r }, async () => { for (let i = 0; i < n; i++) await guard.call({ tool: 'send_mail', args: { to: 'a@b.co', subject: 's' + i, body: 'x'.repeat(120) }, callId: 'c' + i }, async () => ({ ok: true })); });
  const u = process.cpuUsage(t); console.log(name, ((u.user + u.system) / n).toFixed(0), 'us cpu per effect');
}}
