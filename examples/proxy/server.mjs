// A small server between your front end and Linkspace. It keeps the key, which no page ever sees:
// LINKSPACE_URL=https://s.example LINKSPACE_KEY=… PORT=4000 node examples/proxy/server.mjs
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const { LINKSPACE_URL = 'http://127.0.0.1:3000', LINKSPACE_KEY = '', PORT = '4000' } = process.env;
const FORWARDED = ['accept', 'content-type', 'idempotency-key'];
const RETURNED = ['content-type', 'idempotency-replayed', 'retry-after', 'x-request-id'];

/** Checks your own session. Whoever passes can do all that the key can. */
function isAllowed({ method, url, headers }) {
  // Pages of other sites cannot send JSON without permission, which this server gives to none.
  return (
    method === 'POST' && url === '/graphql' && /^application\/json\b/.test(headers['content-type'] ?? '')
  );
}

async function forward(req, res) {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const headers = FORWARDED.flatMap((name) => (req.headers[name] ? [[name, String(req.headers[name])]] : []));
  const answer = await fetch(new URL('/graphql', LINKSPACE_URL), {
    method: 'POST',
    headers: [...headers, ['authorization', `Bearer ${LINKSPACE_KEY}`]],
    body: Readable.toWeb(req),
    duplex: 'half',
    signal: gone.signal,
  });
  const returned = RETURNED.flatMap((name) =>
    answer.headers.has(name) ? [name, answer.headers.get(name)] : [],
  );
  res.writeHead(answer.status, returned).flushHeaders();
  // As it comes, so that subscriptions work too.
  await pipeline(Readable.fromWeb(answer.body), res);
}

const server = createServer((req, res) => {
  if (!isAllowed(req)) return res.writeHead(404).end();
  forward(req, res).catch(() => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/graphql`),
);
