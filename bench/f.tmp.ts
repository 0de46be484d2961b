import { rmSync, readFileSync } from 'node:fs'; import { createRequire } from 'node:module';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
const r=createRequire('/work/main/test/package.json'); const D = r('better-sqlite3');
const fresh=(f:string)=>{for(const s of ['','-wal','-shm'])rmSync(f+s,{force:true});return f};
const owner={id:'o',host:'h',pid:1,processStart:'1'}; let n=0;
const db=new D(fresh('/tmp/x2/w.db')); const ledger=sqliteLedger(db); db.exec('PRAGMA synchronous=OFF');
const claims=async()=>{const i=n++; const c=await ledger.claim({tenant:'t',runId:'r'+(i/300|0),intentId:'i'+(i/300|0),scope:'intent',tool:'send_mail',toolVersion:'1',class:'irreversible',identity:'{"n":'+i+'}',keyGiven:false,argsDigest:'d'.repeat(64),ordinal:0,frozenArgs:new Uint8Array(150),place:{callId:'c'+i}},{owner,leaseMs:30000,attemptId:'a'+i}); if(c.found!=='nothing')throw new Error(c.found); return c.effect.key};
const moves=async(key:any,i:number)=>{const m=await ledger.move(key,{version:1},{to:'succeeded',result:{kept:true,type:'json',bytes:new Uint8Array(100),digest:'x'.repeat(64)},undo:{undo:'none'},evidence:{by:'attempt'}},{attempt:{id:'a'+i}}); if(!('moved' in m)) throw new Error(m.refused)};
const frames=()=>db.pragma('wal_checkpoint(PASSIVE)')[0].log;
for(let i=0;i<1000;i++) await moves(await claims(), n-1);
db.exec('PRAGMA wal_autocheckpoint=0');
const read=()=>{const b=readFileSync('/tmp/x2/w.db-wal');let k=0;const s1=b.readUInt32BE(16),s2=b.readUInt32BE(20);for(let o=32;o+4120<=b.length;o+=4120){if(b.readUInt32BE(o+8)!==s1||b.readUInt32BE(o+12)!==s2)break;k++}return k};
db.pragma('wal_checkpoint(TRUNCATE)'); let c=0,m=0; let a=0;
for(let i=0;i<100;i++){const k=await claims(); let f=read(); c+=f-a; a=f; await moves(k,n-1); f=read(); m+=f-a; a=f;}
console.log('frames per claim',c/100,'per move',m/100, 'file KB per effect', (db.pragma('page_count')[0].page_count*4/n).toFixed(2));
