import { insertLinksIn } from '../../src/db/links.ts';
import { aliasColumns } from '../../src/domain/link/fields.ts';
import { foldCase } from '../../src/engine/rules/input.ts';
import { NOON, type TestServer } from '../../src/testing/server.ts';

/** Columns of a test's new links. */
interface Given {
  readonly accountId: number;
  readonly spaceId?: number;
  readonly tagIds?: readonly number[];
  readonly pixelIds?: readonly number[];
}

const BATCH_SIZE = 500;
let aliases = 0;

/** Stores many links at once, and returns their ids. */
export async function manyLinks(
  { database }: Pick<TestServer, 'database'>,
  count: number,
  { accountId, spaceId, tagIds = [], pixelIds = [] }: Given,
): Promise<number[]> {
  const { id: domainId } = await database.prisma.domain.findFirstOrThrow({ where: { isDefault: true } });
  const url = 'https://example.com/';
  const times = { createdAt: NOON, updatedAt: NOON };
  const ids: number[] = [];
  while (ids.length < count) {
    const links = Array.from({ length: Math.min(BATCH_SIZE, count - ids.length) }, () => ({
      row: {
        accountId,
        domainId,
        spaceId,
        url,
        urlKey: foldCase(url),
        ...aliasColumns(`m${aliases++}`),
        ...times,
      },
      ...{ pixelIds, tagIds },
    }));
    ids.push(...(await database.transaction((tx) => insertLinksIn(tx, links))));
  }
  return ids;
}
