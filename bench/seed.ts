import type { Database } from '../src/db/database.ts';

const CREATED_AT = new Date('2026-01-01T00:00:00.000Z');
const BATCH = 1_000;
/** The number of spaces. */
export const SPACES = 50;

/** Creates one account with a domain, spaces, a pixel and links: a fifth of them fire the pixel, half have a title. */
export async function seed({ prisma, provider }: Database, links: number): Promise<void> {
  const times = { createdAt: CREATED_AT, updatedAt: CREATED_AT };
  const account = await prisma.account.findFirstOrThrow();
  const owner = { accountId: account.id, ...times };
  const domain = await prisma.domain.findFirstOrThrow();
  await prisma.space.createMany({
    data: Array.from({ length: SPACES }, (_, i) => ({
      ...owner,
      name: `Space ${i}`,
      nameKey: `space ${i}`,
      color: (i % 6) + 1,
    })),
  });
  const [space] = await prisma.space.findMany({ orderBy: { id: 'asc' }, take: 1 });
  const pixel = await prisma.pixel.create({
    data: { ...owner, name: 'Ads', type: 'GOOGLE_ADS', value: 'AW-1' },
  });
  for (let start = 0; start < links; start += BATCH) {
    const data = Array.from({ length: Math.min(BATCH, links - start) }, (_, index) => {
      const i = start + index;
      const alias = `a${i}`;
      const url = `https://example.com/some/longer/path/${i}?utm_source=bench`;
      const title = i % 2 ? `Title number ${i} of a link` : null;
      const spaceId = (space?.id ?? 1) + (i % SPACES);
      const keys = { aliasKey: alias, urlKey: url, titleKey: title?.toLowerCase() ?? null };
      return { ...owner, domainId: domain.id, spaceId, alias, url, title, ...keys };
    });
    await prisma.link.createMany({ data });
  }
  await prisma.$executeRaw`INSERT INTO "LinkPixel" ("linkId", "pixelId") SELECT "id", ${pixel.id} FROM "Link" WHERE "id" % 5 = 0`;
  await prisma.$executeRawUnsafe(provider === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE');
}
