import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasStatus } from '../../src/db/reading/link-status.ts';
import { type LinkStatus, linkStatus, linkStatuses } from '../../src/domain/link/status.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';

const before = new Date(NOON.getTime() - 1);
const after = new Date(NOON.getTime() + 1);

/** Links by the columns that determine their status, and the status. */
const cases: [disabled: boolean, expiresAt: Date | null, limit: number | null, clicks: number, LinkStatus][] =
  [
    [false, null, null, 0, 'ACTIVE'],
    [false, null, null, 9, 'ACTIVE'],
    [false, after, null, 0, 'ACTIVE'],
    [false, NOON, null, 0, 'EXPIRED'],
    [false, before, null, 0, 'EXPIRED'],
    [false, null, 2, 1, 'ACTIVE'],
    [false, null, 2, 2, 'EXPIRED'],
    [false, null, 2, 3, 'EXPIRED'],
    [false, after, 2, 2, 'EXPIRED'],
    [false, before, 2, 1, 'EXPIRED'],
    [true, null, null, 0, 'DISABLED'],
    [true, before, null, 0, 'DISABLED'],
    [true, after, 2, 2, 'DISABLED'],
  ];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const { prisma } = server.database;
  const { id: accountId } = await prisma.account.create({ data: { name: 'Acme', createdAt: NOON } });
  for (const [index, [disabled, expiresAt, expirationClicks, clicks]] of cases.entries()) {
    const names = { alias: `s${index}`, aliasKey: `s${index}`, url: 'https://a.example/', urlKey: '' };
    const life = { disabled, expiresAt, expirationClicks };
    const times = { createdAt: NOON, updatedAt: NOON };
    const { id } = await prisma.link.create({
      data: { accountId, domainId: 1, ...names, ...life, ...times },
    });
    await prisma.linkCounter.update({ where: { linkId: id }, data: { clicks } });
  }
});
afterAll(() => server.stop());

test.each(cases)(
  'disabled %s, expires at %s, click limit %s, %i clicks: the status is %s',
  (disabled, expiresAt, limit, clicks, status) => {
    expect(linkStatus({ disabled, expiresAt, expirationClicks: limit, clicks }, () => NOON)).toBe(status);
  },
);

test.each(Object.keys(linkStatuses) as LinkStatus[])(
  'the SQL condition selects the links with the status %s',
  async (status) => {
    const rows = await server.database.read<{ alias: string }>(
      sql`SELECT "alias" FROM "Link" WHERE ${hasStatus(status, NOON)} ORDER BY "id"`,
    );
    const expected = cases.flatMap((one, index) => (one[4] === status ? `s${index}` : []));
    expect(rows.map(({ alias }) => alias)).toEqual(expected);
  },
);
