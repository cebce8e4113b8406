// Inserts many links by a few statements; requests, or Prisma's client, would take hours.

import { applyMigrations } from '../src/db/apply-migrations.ts';
import { Database } from '../src/db/database.ts';
import { createFirstKey } from '../src/domain/access/api-key.ts';
import { shareDefaultDomain } from '../src/domain/short-domain/default-domain.ts';
import { connectTo } from '../src/engine/db/postgresql/client.ts';
import { openFile } from '../src/engine/db/sqlite/file.ts';
import { type Provider, requireProvider } from '../src/engine/db/url.ts';

const SPACES = 50;
export const NEW_SPACE = 9;
/** Numbers of titles with the word "marzipan", and with two letters that no other title has. */
const HITS = 1_000;
const RARE = 20;
const WORDS =
  `summer winter spring autumn sale launch offer guide price report news letter video music garden kitchen travel
  school market city river mountain coffee bread paper window silver golden green yellow orange purple train station bridge
  festival theatre museum library university hospital doctor lawyer engine battery camera phone laptop keyboard`.split(
    /\s+/,
  );

/** The differences between the databases in the statement that creates links from numbers. */
interface Dialect {
  readonly series: (links: number) => string;
  readonly word: (index: string) => string;
  readonly hex: (number: string) => string;
  /** A time a number of minutes from now. */
  readonly timestamp: (minutes: string) => string;
}

const dialects: Record<Provider, Dialect> = {
  postgresql: {
    series: (links) => `(SELECT "i"::bigint FROM generate_series(1, ${links}) AS "i")`,
    word: (index) => `('{${WORDS.join()}}'::text[])[1 + (${index}) % ${WORDS.length}]`,
    hex: (number) => `to_hex(${number})`,
    timestamp: (minutes) => `date_trunc('second', now()::timestamp + (${minutes}) * interval '1 minute')`,
  },
  sqlite: {
    series: (links) =>
      `(WITH RECURSIVE "n"("i") AS (VALUES (1) UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < ${links}) SELECT "i" FROM "n")`,
    word: (index) =>
      `json_extract('${JSON.stringify(WORDS)}', '$[' || ((${index}) % ${WORDS.length}) || ']')`,
    hex: (number) => `printf('%x', ${number})`,
    timestamp: (minutes) => `strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', (${minutes}) || ' minutes')`,
  },
};

/**
 * Links of one account, in one statement, the same on both databases: in 50 spaces or none; on three domains, of which one has
 * three tenths; one in twenty is disabled, two in twenty expire, within two years before or after now, and three in a hundred
 * have a click limit; one in ten has no title, and one in twenty the same URL as others.
 */
function links(
  { series, word, hex, timestamp }: Dialect,
  count: number,
  first: { domain: number; space: number },
): string {
  return `
    INSERT INTO "Link" ("accountId", "domainId", "spaceId", "alias", "aliasKey", "url", "urlKey", "title", "titleKey", "disabled",
      "expiresAt", "expirationClicks", "createdAt", "updatedAt")
    SELECT 1, "domain", CASE WHEN "space" < ${SPACES} THEN ${first.space} + "space" END, "alias", "alias", "url", "url", "title", "title",
      "life" < 5, CASE WHEN "life" >= 5 AND "life" < 15 THEN ${timestamp('("h" % 2103840) - 1051920')} END,
      CASE WHEN "life" >= 15 AND "life" < 18 THEN 1 END, ${timestamp('0')}, ${timestamp('0')}
    FROM (
      SELECT "h", "h" / 1000 % 100 AS "life", "h" / 10 % ${SPACES + 1} AS "space", ${hex('"h"')} AS "alias",
        CASE WHEN "h" % 10 < 6 THEN ${first.domain} WHEN "h" % 10 < 9 THEN ${first.domain + 1} ELSE ${first.domain + 2} END AS "domain",
        CASE WHEN "i" % 20 = 0 THEN 'https://shop.example/sale'
          ELSE 'https://' || ${word('"h" / 7')} || '.example/' || ${word('"h" / 11')} || '/' || ${hex('"h"')} || '?utm_source=' || ${word('"i"')}
        END AS "url",
        CASE WHEN "i" % ${count / HITS} = 3 THEN 'marzipan ' || ${word('"h" / 13')} WHEN "i" % ${count / RARE} = 4 THEN 'zq ' || ${word('"h" / 13')}
          WHEN "h" % 10 > 0 THEN ${word('"h" / 17')} || ' ' || ${word('"h" / 19')} || ' ' || ${word('"h" / 23')} || ' ' || ("i" % 1000)
        END AS "title"
      FROM (SELECT "i", ("i" * 2654435761) % 4294967296 AS "h" FROM ${series(count)} AS "numbers") AS "hashed"
    ) AS "made"`;
}

/**
 * Clicks by Zipf's law: the most visited link has as many as there are links; half of the links, and all in the new space,
 * have none.
 */
function clicks(count: number): string {
  const earned = `${count} / (1 + CAST("linkId" AS bigint) * 7919 % ${count}) - 1`;
  const inNewSpace = `"linkId" IN (SELECT "id" FROM "Link" WHERE "spaceId" = ${NEW_SPACE})`;
  return `UPDATE "LinkCounter" SET "clicks" = ${earned} WHERE ${earned} > 0 AND NOT ${inNewSpace}`;
}

/** Densities of the tags: every second link has the first one, and so on. */
export const TAGGED = [2, 10, 100];

/** A connection without Prisma's client, and so without its statement timeout. */
interface Connection {
  run(statement: string): Promise<void>;
  /** The values of a statement's only column. */
  texts(statement: string): Promise<string[]>;
  close(): Promise<void>;
}

async function connect(url: string): Promise<Connection> {
  if (requireProvider(url) === 'postgresql') {
    const client = await connectTo(url, { statement_timeout: 0 });
    return {
      run: async (statement) => void (await client.query(statement)),
      texts: async (statement) =>
        (await client.query<{ text: string }>(statement)).rows.map(({ text }) => text),
      close: () => client.end(),
    };
  }
  const file = openFile(url);
  return {
    run: async (statement) => void file.exec(statement),
    texts: async (statement) =>
      file
        .prepare<[], { text: string }>(statement)
        .all()
        .map(({ text }) => text),
    close: async () => void file.close(),
  };
}

/** Drops indexes and constraints that are cheaper to create after the rows, and returns the statements that create them again. */
async function putOff({ run, texts }: Connection, provider: Provider): Promise<string[]> {
  if (provider === 'postgresql') {
    const made = await texts(
      `SELECT indexdef AS "text" FROM pg_indexes WHERE tablename = 'Link' AND indexdef NOT LIKE '%UNIQUE%'`,
    );
    for (const name of await texts(
      `SELECT indexname AS "text" FROM pg_indexes WHERE tablename = 'Link' AND indexdef NOT LIKE '%UNIQUE%'`,
    ))
      await run(`DROP INDEX "${name}"`);
    return [`SET maintenance_work_mem = '512MB'`, ...made];
  }
  const trigger = `FROM sqlite_master WHERE "type" = 'trigger' AND "name" = 'Link_text_inserted'`;
  const made = await texts(`SELECT "sql" AS "text" ${trigger}`);
  await run('DROP TRIGGER "Link_text_inserted"');
  return [
    `INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
      SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" ORDER BY "textId"`,
    ...made,
  ];
}

/** Creates the tables, a key, and one account's links in a few statements: a million links take minutes. */
export async function fillAtOnce(url: string, count: number, key: string): Promise<void> {
  await applyMigrations(url);
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const database = await Database.open(url);
  const { prisma, provider } = database;
  await createFirstKey(database, now, key);
  const domain = await shareDefaultDomain(database, 's.example', null, now);
  for (const name of ['go.example', 'to.example'])
    await prisma.domain.create({ data: { accountId: 1, name, hostKey: name, verifiedAt: now, ...times } });
  const data = Array.from({ length: SPACES }, (_, i) => ({
    accountId: 1,
    name: `Space ${i}`,
    nameKey: `space ${i}`,
    color: (i % 6) + 1,
    ...times,
  }));
  await prisma.space.createMany({ data });
  for (const every of TAGGED)
    await prisma.tag.create({
      data: { accountId: 1, name: `Every ${every}`, nameKey: `every ${every}`, color: 1, ...times },
    });
  await database.close();
  const connection = await connect(url);
  const later = await putOff(connection, provider);
  await connection.run(links(dialects[provider], count, { domain: domain.id, space: 1 }));
  await connection.run(clicks(count));
  for (const [index, every] of TAGGED.entries())
    await connection.run(
      `INSERT INTO "LinkTag" ("tagId", "linkId") SELECT ${index + 1}, "id" FROM "Link" WHERE "id" % ${every} = 0`,
    );
  for (const statement of later) await connection.run(statement);
  await connection.run(provider === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE');
  await connection.close();
}
