import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER, visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-lists-'));
const blockedHostsFile = join(folder, 'hosts');
/** Replaces the list at once: a file that is written in place is empty for a moment. */
function block(hosts: string, encoding: BufferEncoding = 'utf8'): void {
  writeFileSync(`${blockedHostsFile}.new`, hosts, encoding);
  renameSync(`${blockedHostsFile}.new`, blockedHostsFile);
}
const reservedAliasesFile = join(folder, 'aliases');
let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  block('bad.example\n');
  writeFileSync(reservedAliasesFile, 'admin\n');
  server = await startTestServer({ blockedHostsFile, reservedAliasesFile, background: true });
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const query = `query ($id: ID!) {
  link(id: $id) { blocked status }
  explainRedirect(input: { linkId: $id }) { outcome destination steps { rule applied } }
}`;
interface Told {
  link: { blocked: boolean; status: string };
  explainRedirect: {
    outcome: string;
    destination: string | null;
    steps: { rule: string; applied: boolean }[];
  };
}
const told = (link: RestLink) => owner.data<Told>(query, { id: String(link.id) });
const statusOf = async (link: RestLink) => (await visit(server.origin, `/${link.alias}`)).status;
const errorsOf = ({ body }: { body: unknown }) => (body as { errors: unknown }).errors;
const BLOCKED = 'may not lead to a host that is blocked on this service';

describe('a blocked host', () => {
  beforeEach(async () => {
    block('bad.example\n');
    await expect
      .poll(async () => errorsOf(await owner.rest('POST', '/links', { url: 'https://bad.example' })))
      .toBeDefined();
  });

  test('does not come back by a reverted change or a restored link', async () => {
    const url = 'https://later-blocked.example/';
    const [changed, deleted] = [await owner.link({ url }), await owner.link({ url })];
    await owner.rest('PATCH', `/links/${changed.id}`, { url: 'https://example.com/' });
    await owner.rest('DELETE', `/links/${deleted.id}`);
    const { prisma } = server.database;
    const changes = await prisma.change.findMany({ orderBy: { id: 'desc' }, take: 2 });
    block('later-blocked.example\n');
    await expect.poll(async () => errorsOf(await owner.rest('POST', '/links', { url }))).toBeDefined();
    const { revertChanges } = await owner.data<{ revertChanges: object[] }>(
      'mutation ($ids: [ID!]!) { revertChanges(ids: $ids) { __typename ... on ValidationError { fields { path messages } } } }',
      { ids: changes.map(({ id }) => id) },
    );
    const refused = { __typename: 'ValidationError', fields: [{ path: ['url'], messages: [BLOCKED] }] };
    expect(revertChanges).toEqual([refused, refused]);
  });

  test('returns 422 for every address of a link', async () => {
    const url = 'https://BAD.example./x';
    const addresses = {
      url,
      expiration_url: url,
      'country[0][key]': 'DE',
      'country[0][value]': url,
      'platform[0][key]': 'iOS',
      'platform[0][value]': url,
      'language[0][key]': 'de',
      'language[0][value]': url,
      'rotation[3][value]': url,
    };
    const refused = Object.keys(addresses)
      .filter((name) => !name.includes('key'))
      .map((name) => name.replaceAll(/\[(\w+)\]/g, '.$1'));
    const created = await owner.rest('POST', '/links', addresses);
    expect(created.status).toBe(422);
    expect(errorsOf(created)).toEqual(
      Object.fromEntries(refused.map((name) => [name, [`The ${name} field ${BLOCKED}.`]])),
    );
    const { id } = await owner.link();
    const updated = await owner.rest('PATCH', `/links/${id}`, addresses);
    expect(errorsOf(updated)).toEqual(errorsOf(created));
  });

  test('is refused as the not-found URL of a domain', async () => {
    const refused = {
      __typename: 'ValidationError',
      fields: [{ path: ['notFoundUrl'], messages: [BLOCKED] }],
    };
    const fields = '{ __typename ... on ValidationError { fields { path messages } } }';
    const create = `mutation ($url: String) { createDomain(input: { name: "new.example", notFoundUrl: $url }) ${fields} }`;
    const update = `mutation ($id: ID!, $url: String) { updateDomain(id: $id, input: { notFoundUrl: $url }) ${fields} }`;
    const id = String(await owner.domain('lost.example'));
    const url = 'https://BAD.example./lost';
    expect(await owner.data(create, { url })).toEqual({ createDomain: refused });
    expect(await owner.data(update, { id, url })).toEqual({ updateDomain: refused });
    const later = 'https://later.example/lost';
    expect(await owner.data(update, { id, url: later })).toMatchObject({
      updateDomain: { __typename: 'Domain' },
    });
    const lost = (alias: string) => visit(server.origin, `/${alias}`, { headers: { Host: 'lost.example' } });
    expect([(await lost('no')).status, (await lost('no')).location]).toEqual([302, later]);
    block('later.example\n');
    await expect.poll(async () => (await lost('no')).status).toBe(404);
    for (const path of ['no', 'no+'])
      expect(await lost(path)).toMatchObject({ status: 404, location: undefined });
    const root = `mutation ($id: ID!, $url: String) { updateDomain(id: $id, input: { rootUrl: $url }) ${fields} }`;
    expect(await owner.data(root, { id, url: later })).toEqual({
      updateDomain: { ...refused, fields: [{ path: ['rootUrl'], messages: [BLOCKED] }] },
    });
    await server.database.prisma.domain.updateMany({
      where: { name: 'lost.example' },
      data: { rootUrl: later },
    });
    expect((await lost('')).status).toBe(200);
    // A client may send back what the domain has.
    expect(await owner.data(update, { id, url: later })).toMatchObject({
      updateDomain: { __typename: 'Domain' },
    });
  });

  test('makes the destinations of a link former ones on its page of statistics', async () => {
    const link = await owner.link({ url: 'https://later.example/secret' });
    for (let i = 0; i < 9; i++) await visit(server.origin, `/${link.alias}`);
    await server.flush();
    const page = async () => {
      server.clock.now = new Date(NOON.getTime() + 86_400_000);
      const { body } = await visit(server.origin, `/${link.alias}+`);
      server.clock.now = NOON;
      return body;
    };
    expect(await page()).toContain('later.example');
    block('later.example\n');
    await expect.poll(() => statusOf(link)).toBe(410);
    const body = await page();
    // The visits until the host was blocked count, too.
    const [, clicks] = /<dt>Clicks<\/dt><dd>(\d+)</.exec(body) ?? [];
    expect(Number(clicks)).toBeGreaterThanOrEqual(9);
    expect(body).toContain(`<th scope="row">Former</th><td>${clicks}</td>`);
    expect(body).not.toContain('later.example');
  });

  test('applies at once to cached links, deletes nothing, and shows visitors no reason', async () => {
    const link = await owner.link({ url: 'https://later.example/secret' });
    const byTarget = await owner.link({ 'rotation[0][value]': 'https://sub.later.example/', target_type: 4 });
    const other = await owner.link();
    expect([await statusOf(link), await statusOf(byTarget), await statusOf(other)]).toEqual([302, 302, 302]);
    block('# new\nlater.example\n*.later.example\n');
    await expect.poll(() => statusOf(link)).toBe(410);
    expect([await statusOf(byTarget), await statusOf(other)]).toEqual([410, 302]);
    const page = await visit(server.origin, `/${link.alias}`, { headers: { 'Accept-Language': 'fr' } });
    expect(page.body).toContain('Ce lien n’est pas disponible');
    expect(page.body).not.toMatch(/later|bloqu|blocked/i);
    expect(await told(link)).toEqual({
      link: { blocked: true, status: 'ACTIVE' },
      explainRedirect: {
        outcome: 'BLOCKED',
        destination: null,
        steps: expect.arrayContaining([{ rule: 'BLOCKED', applied: true }]),
      },
    });
    expect((await told(other)).link.blocked).toBe(false);
    // An address that is sent back unchanged is not new.
    const same = await owner.rest('PATCH', `/links/${link.id}`, { url: link.url as string, title: 'Mine' });
    expect(same.status).toBe(200);
    block('');
    await expect.poll(() => statusOf(link)).toBe(302);
  });

  test('is not shown on the statistics page', async () => {
    const link = await owner.link({ url: 'https://shown.example/secret' });
    // The page shows a value from at most 9 clicks on, after the day of the visits.
    for (let i = 0; i < 9; i++) await visit(server.origin, `/${link.alias}`);
    await server.flush();
    server.clock.now = new Date(server.clock.now.getTime() + 24 * 60 * 60 * 1000);
    const page = async () => (await visit(server.origin, `/${link.alias}+`)).body;
    expect(await page()).toContain('shown.example/secret');
    block('shown.example');
    await expect.poll(() => statusOf(link)).toBe(410);
    const shown = await page();
    expect(shown).toContain('Destinations');
    expect(shown).not.toContain('shown.example');
  });

  test('does not ask for the password of a link', async () => {
    const link = await owner.link({ url: 'https://locked.example/', password: 'x', expiration_clicks: 2 });
    expect(await statusOf(link)).toBe(401);
    block('locked.example');
    await expect.poll(() => statusOf(link)).toBe(410);
    const form = new URLSearchParams({ password: 'x' });
    const headers = { 'User-Agent': BROWSER };
    const posted = await fetch(`${server.origin}/${link.alias}`, { method: 'POST', body: form, headers });
    expect([posted.status, posted.headers.get('Location')]).toEqual([410, null]);
  });

  test.each([
    ['vanishes', () => rmSync(blockedHostsFile)],
    ['is not UTF-8', () => block('\uFEFFother.example', 'utf16le')],
  ])('stays blocked if the file %s, which is logged once', async (_what, change) => {
    const warned = () => server.log.filter(({ msg }) => String(msg).startsWith('list cannot be read')).length;
    const before = warned();
    change();
    await expect.poll(warned).toBe(before + 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(warned()).toBe(before + 1);
    expect((await owner.rest('POST', '/links', { url: 'https://bad.example' })).status).toBe(422);
    block('other.example');
    await expect
      .poll(async () => (await owner.rest('POST', '/links', { url: 'https://bad.example' })).status)
      .toBe(201);
  });
});

test('accepts a reserved alias only for links that already have it', async () => {
  const reserved = { alias: ['The alias field is reserved on this service.'] };
  expect(errorsOf(await owner.rest('POST', '/links', { url: 'https://a.example', alias: 'Admin' }))).toEqual(
    reserved,
  );
  const link = await owner.link({ alias: 'soon' });
  expect(errorsOf(await owner.rest('PATCH', `/links/${link.id}`, { alias: 'admin' }))).toEqual(reserved);
  writeFileSync(reservedAliasesFile, 'admin\nsoon\n');
  await expect
    .poll(() =>
      server.log.filter(({ variable, entries }) => variable === 'RESERVED_ALIASES' && entries === 2),
    )
    .toHaveLength(1);
  expect(errorsOf(await owner.rest('POST', '/links', { url: 'https://a.example', alias: 'SOON' }))).toEqual(
    reserved,
  );
  expect((await owner.rest('PATCH', `/links/${link.id}`, { alias: 'soon', title: 'x' })).status).toBe(200);
  expect(await statusOf(link)).toBe(302);
});

test('never generates reserved aliases', async () => {
  writeFileSync(reservedAliasesFile, 'bbbbbb\n');
  const constant = await startTestServer({ reservedAliasesFile, random: () => 0 });
  const link = await (await constant.caller()).link();
  expect(link.alias).toBe('bbbbbbb');
  await constant.stop();
});
