// Writes during measurements, in a process of its own: 20 edits of links a second, or 20 new links as well.
//   fork('bench/writer.ts', [ORIGIN, KEY]); the message 'edits' or 'all' starts it, the message 'stop' stops it, and is answered
//   with the number of writes.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const [origin = '', key = ''] = process.argv.slice(2);
const PAUSE = 1000 / 20;
const agent = new Agent({ keepAlive: true });

let writes = 0;
let timer: NodeJS.Timeout | undefined;
let id: number | undefined;

/** Sends a request by `node:http`: `fetch` would take several times the time, of the cores that both programs share. */
async function write(method: string, path: string, title: string): Promise<{ data: { id: number } }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request(`${origin}/api/v1/links${path}`, { method, headers, agent });
  sent.end(`url=${encodeURIComponent('https://example.com/written')}&title=${encodeURIComponent(title)}`);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('no response');
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  if (response.statusCode !== 200 && response.statusCode !== 201)
    throw new Error(`${method} ${path}: ${response.statusCode} ${body}`);
  writes++;
  return JSON.parse(body);
}

async function create(): Promise<void> {
  id = (await write('POST', '', 'New')).data.id;
}

async function edit(): Promise<void> {
  if (id === undefined) await create();
  else await write('PATCH', `/${id}`, `Edited at ${performance.now()}`);
}

process.on('message', (which: 'edits' | 'all' | 'stop') => {
  clearInterval(timer);
  if (which === 'stop') {
    process.send?.(writes);
    writes = 0;
    return;
  }
  timer = setInterval(() => {
    void edit();
    if (which === 'all') void create();
  }, PAUSE);
});
