import { startTestServer } from './src/testing/server.ts';
import { request } from 'node:http';
const server = await startTestServer(); const caller = await server.caller();
const post = (body: string) => new Promise<number>((res) => { const s = request(`${server.origin}/graphql`, { method: 'POST', headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } }, (r) => r.resume().on('end', () => res(r.statusCode!))); s.end(body); });
const j = (query: string, variables: unknown = {}) => JSON.stringify({ query, variables });
const cases: Record<string, string> = {
  typename: j('{ __typename }'),
  deepvars: `{"query":"{__typename}","variables":{"a":${'['.repeat(900000)}${']'.repeat(900000)}}}`,
  deepobj: `{"query":"{__typename}","variables":{"a":${'{"a":'.repeat(300000)}1${'}'.repeat(300000)}}}`,
  wide: `{"query":"{__typename}","variables":{"a":[${'[],'.repeat(600000)}[]]}}`,
  wideobj: `{"query":"{__typename}","variables":{"a":[${'{},'.repeat(600000)}{}]}}`,
  keys: j('query($o:LinkFilter){ links(filter:$o){ totalCount } }', Object.fromEntries([['o', Object.fromEntries(Array.from({length:90000},(_, i)=>['k'+i,1]))]])),
  keysobj: j('query($o:LinkFilter){ links(filter:$o){ totalCount } }', { o: Array.from({length:30000},(_, i)=>({['k'+i]:1})) }),
  topkeys: j('{ __typename }', Object.fromEntries(Array.from({length:90000},(_, i)=>['k'+i,1]))),
  dense: j(`{ ...f0 } ${Array.from({length:199},(_, i)=>`fragment f${i} on Query { ${Array.from({length:20},(_,q)=>i+q+1<199?`...f${i+q+1}`:'__typename').join(' ')} }`).join(' ')}`),
  cyc: j(`{ ...f0 } ${Array.from({length:199},(_, i)=>`fragment f${i} on Query { ${Array.from({length:10},(_,q)=>`...f${(i+q+1)%199}`).join(' ')} }`).join(' ')}`),
  nums: j('{__typename}', { a: Array(900000).fill(1) }),
  escapes: `{"query":"{__typename}","variables":{"a":"${'\\u0041'.repeat(300000)}"}}`,
};
const only = process.argv[2];
for (let i = 0; i < 200; i++) await post(cases.typename!);
for (const [n, b] of Object.entries(cases)) {
  if (only && n !== only) continue;
  const all: number[] = [];
  for (let i = 0; i < (only ? 12 : 6); i++) { const body = b.replace('{ __typename', `{ a${i}: __typename`).replace('links(', `l${i}: links(`).replace('{ ...f0', `{ a${i}: __typename ...f0`); const t = process.cpuUsage(); await post(body); const u = process.cpuUsage(t); all.push((u.user + u.system) / 1000); }
  console.log(n, all.map((x) => x.toFixed(0)).join(' '));
}
await server.stop();
