import type { Data } from '../../db/database.ts';
import { readImages } from '../../db/images.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { csvLine } from '../../engine/tools/csv-writer.ts';
import type {
  Domain,
  Link,
  Pixel,
  Prisma,
  SavedOperation,
  SavedView,
  Tag,
} from '../../generated/sqlite/client.ts';
import { linkTexts } from '../link/fields.ts';
import { parseTargetLists } from '../link/targeting.ts';
import { withoutIds } from '../rule/columns.ts';
import { readStoredRules, readStoredTests } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { readApps } from '../short-domain/apps.ts';
import { composeShortUrl } from '../short-domain/host.ts';
import { type ExportRecord, exportFields } from './formats.ts';

/** Number of links read at once; each may have two MB of targets. */
const BATCH_SIZE = 100;

/** All rows, read in pages by id. */
async function* pages<Row extends { id: number }>(
  read: (page: { take: number; orderBy: { id: 'asc' } }, after: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const rows: Row[] = await read({ take: BATCH_SIZE, orderBy: { id: 'asc' } }, last);
    yield* rows;
    last = rows.length < BATCH_SIZE ? undefined : rows.at(-1)?.id;
  }
}

/**
 * Everything of the account that its keys can read: its domains, saved operations and saved views, then spaces, tags and pixels without links, then its links, oldest
 * first, each with its space, tags and pixels. They are read in pages, not in one snapshot: changes during the export may be
 * missing.
 * @param withImages whether links have the images of their previews
 */
export async function* exportAccount(
  db: Data,
  { accountId }: Writer,
  services: Pick<Services, 'scheme'>,
  withImages = true,
): AsyncGenerator<ExportRecord> {
  const after = (id: number) => ({ accountId, id: { gt: id } });
  for await (const domain of pages((page, id) => db.prisma.domain.findMany({ ...page, where: after(id) })))
    yield {
      kind: 'domain',
      domain: domain.name,
      own_domain: true,
      domain_not_found_url: domain.notFoundUrl,
      domain_root_url: domain.rootUrl,
      ...appsRecord(domain),
      domain_forwards_path: domain.forwardsPath,
      ...exportTimes(domain),
    };
  for await (const operation of pages((page, id) =>
    db.prisma.savedOperation.findMany({ ...page, where: after(id) }),
  ))
    yield { kind: 'operation', operations: [shownOperation(operation)], ...exportTimes(operation) };
  for await (const view of pages((page, id) => db.prisma.savedView.findMany({ ...page, where: after(id) })))
    yield { kind: 'view', views: [shownView(view)], ...exportTimes(view) };
  const unused = (id: number) => ({ ...after(id), links: { none: {} } });
  for await (const space of pages((page, id) => db.prisma.space.findMany({ ...page, where: unused(id) })))
    yield { kind: 'space', space: space.name, space_color: space.color, ...exportTimes(space) };
  for await (const tag of pages((page, id) => db.prisma.tag.findMany({ ...page, where: unused(id) })))
    yield { kind: 'tag', tags: [shownTag(tag)], ...exportTimes(tag) };
  for await (const pixel of pages((page, id) => db.prisma.pixel.findMany({ ...page, where: unused(id) })))
    yield { kind: 'pixel', pixels: [shownPixel(pixel)], ...exportTimes(pixel) };
  for await (const link of pages((page, id) =>
    db.prisma.link.findMany({ ...page, where: after(id), include }),
  ))
    yield { ...linkRecord(link, services), ...(withImages && (await exportImage(db, link))) };
}

/** The image of a link's preview as a data URL, if it has one. */
async function exportImage(
  db: Data,
  { accountId, previewImage: hash }: Pick<Link, 'accountId' | 'previewImage'>,
): Promise<ExportRecord> {
  if (hash === null) return {};
  const content = (await readImages(db, accountId, [hash])).get(hash);
  return content === undefined ? {} : { preview_image: `data:image/jpeg;base64,${content}` };
}

const include = {
  domain: true,
  space: true,
  counter: true,
  tags: { include: { tag: true }, orderBy: { tag: { nameKey: 'asc' } } },
  pixels: { include: { pixel: true }, orderBy: { pixelId: 'asc' } },
} as const;

function appsRecord(domain: Pick<Domain, 'apps'>): ExportRecord {
  const { apple, android } = readApps(domain);
  return {
    ...(apple.length > 0 && { domain_apple_apps: apple }),
    ...(android.length > 0 && { domain_android_apps: android }),
  };
}

function exportTimes({ createdAt, updatedAt }: { createdAt: Date; updatedAt: Date }): ExportRecord {
  return { created_at: createdAt, updated_at: updatedAt };
}

function shownPixel({ name, type, value }: Pixel): Pick<Pixel, 'name' | 'type' | 'value'> {
  return { name, type, value };
}

function shownOperation({ name, description, document, isTool }: SavedOperation) {
  return { name, description, document, is_tool: isTool };
}

function shownView({ name, view, query }: SavedView): Pick<SavedView, 'name' | 'view' | 'query'> {
  return { name, view, query };
}

function shownTag({ name, color }: Tag): Pick<Tag, 'name' | 'color'> {
  return { name, color };
}

function linkRecord(
  link: Prisma.LinkGetPayload<{ include: typeof include }>,
  services: Pick<Services, 'scheme'>,
): ExportRecord {
  const { domain, space, counter } = link;
  return {
    kind: 'link',
    short_url: composeShortUrl(services, domain, link),
    domain: domain.name,
    own_domain: domain.accountId !== null,
    alias: link.alias,
    url: link.url,
    ...Object.fromEntries(linkTexts.map((name) => [name, link[name]])),
    preview_title: link.previewTitle,
    preview_description: link.previewDescription,
    external_id: link.externalId,
    space: space?.name,
    space_color: space?.color,
    tags: link.tags.map(({ tag }) => shownTag(tag)),
    pixels: link.pixels.map(({ pixel }) => shownPixel(pixel)),
    disabled: link.disabled,
    forward_query: link.forwardsQuery,
    has_password: link.password !== null,
    privacy: link.privacy,
    has_privacy_password: link.privacyPassword !== null,
    expiration_url: link.expirationUrl,
    expires_at: link.expiresAt,
    expiration_clicks: link.expirationClicks,
    starts_at: link.startsAt,
    archived: link.archived,
    redirect_status: link.redirectStatus,
    target_type: link.targetType,
    ...parseTargetLists(link),
    rules: withoutIds(readStoredRules(link.rules).rules),
    rule_tests: readStoredTests(link.ruleTests),
    clicks: counter?.clicks ?? 0,
    last_clicked_at: counter?.lastClickedAt,
    ...exportTimes(link),
  };
}

/** The columns of CSV: a cell of a spreadsheet has no room for an image. */
const csvFields = exportFields.filter((field) => field !== 'preview_image');

/** The records as CSV: a header, then a line for each. Without the byte order mark, Excel reads it as Windows-1252. */
export async function* asCsv(records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(csvFields)}`;
  for await (const record of records)
    yield csvLine(
      csvFields.map((field) => {
        const value = record[field];
        return typeof value === 'boolean' ? Number(value) : value;
      }),
    );
}

/** The records as one JSON document, a line for each. */
export async function* asJson(records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  let started = false;
  yield '{"data":[';
  for await (const record of records) {
    const entries = exportFields.flatMap((field) =>
      field in record ? [[field, record[field] ?? null]] : [],
    );
    yield `${started ? ',' : ''}\n${JSON.stringify(Object.fromEntries(entries))}`;
    started = true;
  }
  yield '\n]}\n';
}
