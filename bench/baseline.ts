// A minimal server as a baseline: without keys, a log, checks or errors.
//   tsx bench/baseline.ts map|prisma|floor DATABASE_URL

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { Database } from '../src/db/database.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

const include = { domain: true, space: true, pixels: { include: { pixel: true } } };

function json(res: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

async function bodyOf(req: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return new URLSearchParams(text);
}

/** A redirect from a Map of 1,000 links. */
function map(): Handler {
  const links = new Map(
    Array.from({ length: 1000 }, (_, i) => [`/a${i}`, `https://example.com/some/longer/path/${i}`]),
  );
  return (req, res) => {
    res.writeHead(302, { Location: links.get(req.url ?? '') ?? '/' });
    res.end();
  };
}

/** Serves the reads and writes by Prisma. */
async function prisma(url: string): Promise<Handler> {
  const pool = { poolSize: 10, statementTimeout: 0 };
  const { prisma: client } = await Database.open(url, { pool });
  const where = { accountId: 1 };
  let made = 0;
  return async (req, res) => {
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const take = Number(new URLSearchParams(query).get('per_page') ?? 10);
    if (req.method === 'POST') {
      const body = await bodyOf(req);
      const now = new Date();
      const address = body.get('url') ?? '';
      const alias = `p${process.pid}x${made++}`;
      const data = { accountId: 1, domainId: 1, url: address, urlKey: address, alias, aliasKey: alias };
      return json(
        res,
        await client.link.create({ data: { ...data, createdAt: now, updatedAt: now }, include }),
      );
    }
    const id = /\/(\d+)$/.exec(path)?.[1];
    if (id) return json(res, await client.link.findFirst({ where: { ...where, id: Number(id) }, include }));
    const [data, total] = await Promise.all([
      client.link.findMany({ where, include, orderBy: { id: 'desc' }, take }),
      client.accountTally.aggregate({ where, _sum: { links: true } }),
    ]);
    json(res, { data, total });
  };
}

const list = `SELECT l.*, s."name" AS "spaceName", s."color" AS "spaceColor" FROM "Link" l
  LEFT JOIN "Space" s ON s."id" = l."spaceId" WHERE l."accountId" = 1`;

/** Serves the reads of a link and its space by the driver's prepared statements: the floor. */
async function floor(url: string): Promise<Handler> {
  if (url.startsWith('file:')) {
    const database = new Sqlite(url.slice('file:'.length));
    const one = database.prepare(`${list} AND l."id" = ?`);
    const many = database.prepare(`${list} ORDER BY l."id" DESC LIMIT ?`);
    return (req, res) => {
      const id = /\/(\d+)$/.exec(req.url ?? '')?.[1];
      const take = Number(/per_page=(\d+)/.exec(req.url ?? '')?.[1] ?? 10);
      json(res, id ? one.get(Number(id)) : many.all(take));
    };
  }
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  return async (req, res) => {
    const id = /\/(\d+)$/.exec(req.url ?? '')?.[1];
    const take = Number(/per_page=(\d+)/.exec(req.url ?? '')?.[1] ?? 10);
    const { rows } = id
      ? await pool.query({ name: 'one', text: `${list} AND l."id" = $1`, values: [id] })
      : await pool.query({ name: 'many', text: `${list} ORDER BY l."id" DESC LIMIT $1`, values: [take] });
    json(res, id ? rows[0] : rows);
  };
}

const [kind, url = ''] = process.argv.slice(2);
const handlers = { map: async () => map(), prisma, floor };
const handler = await handlers[kind as keyof typeof handlers](url);
const server = createServer((req, res) => void handler(req, res));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // It listens on a port.
  console.log(JSON.stringify({ msg: 'listening', port }));
});
