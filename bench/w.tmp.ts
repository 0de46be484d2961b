import { rmSync } from 'node:fs'; import { createRequire } from 'node:module';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
const r=createRequire('/work/main/test/package.json'); const D = r(process.argv[2]??'libsql');
const fresh=(f:string)=>{for(const s of ['','-wal','-shm'])rmSync(f+s,{force:true});return f};
const owner={id:'o',host:'h',pid:1,processStart:'1'}; let n=0;
const db=new D(fresh('/tmp/x/w.db')); const ledger=sqliteLedger(db); if(process.argv[3]) db.exec('PRAGMA synchronous='+process.argv[3]);
const led=async()=>{const i=n++; const c=await ledger.claim({tenant:'t',runId:'r'+(i/300|0),intentId:'i'+(i/300|0),scope:'intent',tool:'send_mail',toolVersion:'1',class:'irreversible',identity:'{"n":'+i+'}',keyGiven:false,argsDigest:'d'.repeat(64),ordinal:0,frozenArgs:new Uint8Array(150),place:{callId:'c'+i}},{owner,leaseMs:30000,attemptId:'a'+i}); if(c.found!=='nothing')throw new Error(c.found); const m=await ledger.move(c.effect.key,{version:1},{to:'succeeded',result:{kept:true,type:'json',bytes:new Uint8Array(100),digest:'x'.repeat(64)},undo:{undo:'none'},evidence:{by:'attempt'}},{attempt:{id:'a'+i}}); if(!('moved' in m)) throw new Error(m.refused)};
for(let i=0;i<1500;i++) await led();
const s=performance.now(), c=process.cpuUsage(); for(let i=0;i<3000;i++) await led(); const u=process.cpuUsage(c); console.log(process.argv.slice(2).join(' '),'us',((performance.now()-s)/3000*1000).toFixed(0),'user',(u.user/3000).toFixed(0),'sys',(u.system/3000).toFixed(0));
