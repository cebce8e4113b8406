// Writes during measurements, in a process of its own: 20 new links and 20 edits a second.
//   fork('bench/writer.ts', [ORIGIN, KEY]); the message true starts it, the message false stops it, and is answered with the
//   number of writes.
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

async function writeBoth(): Promise<void> {
  const edited = id === undefined ? null : write('PATCH', `/${id}`, `Edited at ${performance.now()}`);
  const made = await write('POST', '', 'New');
  await edited;
  id = made.data.id;
}

process.on('message', (on: boolean) => {
  clearInterval(timer);
  if (on) timer = setInterval(() => void writeBoth(), PAUSE);
  else {
    process.send?.(writes);
    writes = 0;
  }
});
