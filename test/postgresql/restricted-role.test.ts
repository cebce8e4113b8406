import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { Database } from '../../src/db/database.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { freePort, WITH_PASSWORD } from '../support/postgres-server.ts';
import { startTestServer } from '../support/server.ts';
import { refusalOf } from '../support/service.ts';

test('a role that cannot create extensions and temporary tables can migrate, search and become ready', async () => {
  const url = new URL(await newDatabase({ migrated: false }));
  const role = `guest_${url.pathname.slice(1)}`;
  const owner = await Database.open(url.href);
  await owner.prisma.$executeRawUnsafe(`CREATE ROLE "${role}" LOGIN`);
  await owner.prisma.$executeRawUnsafe(`GRANT CREATE, USAGE ON SCHEMA public TO "${role}"`);
  await owner.prisma.$executeRawUnsafe(`REVOKE TEMPORARY ON DATABASE "${url.pathname.slice(1)}" FROM PUBLIC`);
  await owner.close();
  url.username = role;
  url.password = '';
  await applyMigrations(url.href);
  const server = await startTestServer({ url: url.href });
  try {
    const caller = await server.caller();
    expect((await caller.fetch('/readyz')).status).toBe(200);
    await caller.link({ title: 'A needle in hay' });
    expect(await caller.data('{ linkPage(filter: { search: "needle" }) { total } }')).toEqual({
      linkPage: { total: 1 },
    });
    expect(
      await server.database.prisma.$queryRawUnsafe(
        `SELECT indexname FROM pg_indexes WHERE indexname LIKE 'Link_%_text'`,
      ),
    ).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('a start on an unusable database says what to do', async () => {
  const url = new URL(await newDatabase({ migrated: false }));
  const name = url.pathname.slice(1);
  const role = `plain_${name}`;
  const owner = await Database.open(url.href);
  await owner.prisma.$executeRawUnsafe(`CREATE ROLE "${role}" LOGIN`);
  await owner.close();
  const { host } = url;
  const refusalWith = (changes: Partial<URL>) =>
    refusalOf({ DATABASE_URL: Object.assign(new URL(url.href), changes).href });
  expect(await refusalWith({ username: role })).toBe(
    `The user "${role}" of DATABASE_URL may not create tables in the schema public of the database "${name}": from PostgreSQL 15 on, only the owner may. As a superuser, run ALTER DATABASE "${name}" OWNER TO "${role}", or, in that database, GRANT CREATE ON SCHEMA public TO "${role}".`,
  );
  expect(await refusalWith({ search: '?sslmode=require' })).toBe(
    `The PostgreSQL server at ${host} does not support TLS, which sslmode=require in DATABASE_URL requires. Write sslmode=disable into the URL, or set up TLS on the server.`,
  );
  expect(await refusalWith({ pathname: '/nowhere' })).toBe(
    `The PostgreSQL server at ${host} has no database "nowhere", which DATABASE_URL names. Make it: CREATE DATABASE "nowhere"`,
  );
  expect(await refusalWith({ username: 'nobody_knows', password: 'secret' })).toBe(
    `The PostgreSQL server at ${host} refuses the user "nobody_knows" with the password that DATABASE_URL has. Special characters of a password must be percent-encoded in a URL.`,
  );
  expect(await refusalWith({ port: String(await freePort()) })).toMatch(
    /^No PostgreSQL server answers at 127\.0\.0\.1:\d+, which DATABASE_URL names\. Is it running, does it listen there, and may this machine reach it\?$/,
  );
});

/** The URL of a server on this machine that answers connections as given. */
async function answering(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `postgresql://me@127.0.0.1:${(server.address() as AddressInfo).port}/x`;
}

test('names the variable and the server whose connection failed', async () => {
  const DATABASE_URL = await newDatabase({ migrated: false });
  const closed = `postgresql://me:secret@127.0.0.1:${await freePort()}/x`;
  expect(await refusalOf({ DATABASE_URL, DATABASE_DIRECT_URL: closed })).toMatch(
    new RegExp(
      `^No PostgreSQL server answers at ${new URL(closed).host}, which DATABASE_DIRECT_URL names\\. .*$`,
    ),
  );
  // A replica may be down at the start.
  const wrong = Object.assign(new URL(DATABASE_URL), { username: WITH_PASSWORD, password: 'wrong' }).href;
  expect(await refusalOf({ DATABASE_URL, DATABASE_READ_URLS: wrong })).toContain(
    `refuses the user "${WITH_PASSWORD}" with the password that DATABASE_READ_URLS has`,
  );
  const { stderr } = await runCommand('migrate', { DATABASE_URL, DATABASE_DIRECT_URL: closed });
  expect(stderr).toContain('which DATABASE_DIRECT_URL names');
});

test('names the variable of a URL without its password, or with another server’s port', async () => {
  const message = (code: number, text: string) => {
    const head = Buffer.from('R\0\0\0\0\0\0\0\0');
    head.writeInt32BE(8 + text.length, 1);
    head.writeInt32BE(code, 5);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  // Requests a password with SCRAM.
  const guarded = await answering((socket) => {
    socket.once('data', () => {
      socket.write(message(10, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(message(11, 'r=x,s=eA==,i=4096')));
    });
  });
  expect(await refusalOf({ DATABASE_URL: guarded })).toBe(
    `The PostgreSQL server at ${new URL(guarded).host} requires a password for the user "me", and DATABASE_URL has none.`,
  );
  const web = await answering((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await refusalOf({ DATABASE_URL: web })).toBe(
    `${new URL(web).host}, which DATABASE_URL names, does not answer like a PostgreSQL server, or ended the connection. Is it the right port?`,
  );
});
