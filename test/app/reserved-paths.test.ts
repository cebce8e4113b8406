import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paths, surfaces } from '../../src/app/service/paths.ts';
import { encodeAlias, isAlias } from '../../src/domain/link/alias-grammar.ts';
import { isReserved, reservedSegments } from '../../src/domain/link/reserved.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** The paths of Express' routes, as their sources have them, without what stands for parts. */
function routesIn(file: string, below = ''): string[] {
  const text = readFileSync(file, 'utf8');
  const written = [...text.matchAll(/\.(?:get|post|all|use)\(\s*(?:'(\/[^']*)'|([A-Z_]+)\b)/g)];
  return written.flatMap(([, path, name]) => {
    const constant = new RegExp(`${name} = '(/[^']*)'`).exec(
      `${text}\n${readFileSync('src/app/service/tls-ask.ts', 'utf8')}`,
    )?.[1];
    const route = path ?? constant;
    return route === undefined ? [] : `${below}${route.replaceAll(/[:*]\w+/g, 'x')}`;
  });
}

/** All paths that the service answers besides visits. */
const answered = [
  ...routesIn('src/app/service/web.ts'),
  ...['/graphql', '/api/v1/links', '/api/run/x', '/api/mcp', '/auth/x', '/console/links/1', '/docs/guides/x'],
  ...['/.well-known/x'],
].filter((path) => path !== '/');

test('knows the routes', () => {
  expect(answered).toEqual(
    expect.arrayContaining([
      '/livez/serving',
      '/readyz',
      '/tls/ask',
      '/robots.txt',
      '/schema.graphql',
      '/openapi.json',
    ]),
  );
  expect(answered.length).toBeGreaterThan(18);
});

test.each([...new Set(answered)])('no new link gets the path %s, nor one below it', async (path) => {
  const alias = path.slice(1);
  for (const one of [alias, `${alias}/below`, alias.toUpperCase()]) {
    const { status } = await owner.rest('POST', '/links', { url: 'https://example.com/', alias: one });
    expect([one, status]).toEqual([one, 422]);
  }
  expect(reservedSegments).toContain(alias.split('/')[0]);
  // It is the service's own, or no link's.
  if (paths.findSurface(path) === surfaces.visit) expect((await visit(server.origin, path)).status).toBe(404);
});

test.each(reservedSegments)('no new link begins with the segment %s', async (segment) => {
  for (const alias of [segment, segment.toUpperCase(), `${segment}/a`]) {
    const { status } = await owner.rest('POST', '/links', { url: 'https://example.com/', alias });
    expect([alias, status]).toEqual([alias, 422]);
  }
  const { alias } = await owner.link({
    alias: `x-${segment}/${segment.replace(/^\./, '')}`.replace('x-.', 'x-'),
  });
  expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
});

test('every alias that a new link may have is a visit', () => {
  const segment = fc.oneof(
    fc.constantFrom(...reservedSegments, 'a', 'ä', '🎉', '1'),
    fc.string({ unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const alias = segments.join('/');
      if (!isAlias(alias) || isReserved(alias)) return;
      for (const path of [`/${alias}`, `/${encodeAlias(alias)}`, `/${alias}/`, `/${alias}+`])
        expect(paths.findSurface(path)).toBe(surfaces.visit);
    }),
    { numRuns: 1_000 },
  );
});
