// Writes during measurements, in a process of its own: 20 new links and 20 edits a second.
//   fork('bench/writer.ts', [ORIGIN, KEY]); the message true starts it, the message false stops it, and is answered with the
//   number of writes.
const [origin = '', key = ''] = process.argv.slice(2);
const PAUSE = 1000 / 20;

let writes = 0;
let timer: NodeJS.Timeout | undefined;
let id: number | undefined;

async function write(method: string, path: string, title: string): Promise<{ data: { id: number } }> {
  const response = await fetch(`${origin}/api/v1/links${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    body: new URLSearchParams({ url: 'https://example.com/written', title }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  writes++;
  return (await response.json()) as { data: { id: number } };
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
