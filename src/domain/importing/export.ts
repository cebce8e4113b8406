import type { Db } from '../../db/connection/db.ts';
import type { Writer } from '../access/actor.ts';
import { linkTexts } from '../link/input.ts';
import { shortUrlOf } from '../link/short-url.ts';
import { targetingOf } from '../link/targeting.ts';
import type { Services } from '../services.ts';
import { cellOf, quoted } from './csv-cell.ts';
import { exportFields, type ImportRecord } from './formats.ts';

/** How many links are read at once: each may have two MB of targets. */
const BATCH_SIZE = 100;

/**
 * Everything of the account that its keys can read: its domains, then spaces and pixels without links, then its links, oldest
 * first, each with its space and pixels. They are read in pages, not in one snapshot: changes during the export may be
 * missing.
 */
export async function* exportAccount(
  db: Db,
  { accountId }: Writer,
  services: Pick<Services, 'scheme'>,
): AsyncGenerator<ImportRecord> {
  const page = { take: BATCH_SIZE, orderBy: { id: 'asc' } } as const;
  const after = (id: number) => ({ accountId, id: { gt: id } });
  for await (const domain of pages((id) => db.domain.findMany({ ...page, where: after(id) })))
    yield {
      kind: 'domain',
      domain: domain.name,
      own_domain: true,
      domain_not_found_url: domain.notFoundUrl,
      created_at: domain.createdAt,
      updated_at: domain.updatedAt,
    };
  const unused = (id: number) => ({ ...after(id), links: { none: {} } });
  for await (const space of pages((id) => db.space.findMany({ ...page, where: unused(id) })))
    yield {
      kind: 'space',
      space: space.name,
      space_color: space.color,
      created_at: space.createdAt,
      updated_at: space.updatedAt,
    };
  for await (const { name, type, value, createdAt, updatedAt } of pages((id) =>
    db.pixel.findMany({ ...page, where: unused(id) }),
  ))
    yield {
      kind: 'pixel',
      pixels: [{ name, type, value }],
      created_at: createdAt,
      updated_at: updatedAt,
    };
  yield* exportLinks(db, accountId, services);
}

/** All rows, read in pages by id. */
async function* pages<Row extends { id: number }>(
  read: (after: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let last = 0; ; ) {
    const rows = await read(last);
    yield* rows;
    const { id } = rows.at(-1) ?? {};
    if (id === undefined || rows.length < BATCH_SIZE) return;
    last = id;
  }
}

async function* exportLinks(
  db: Db,
  accountId: number,
  services: Pick<Services, 'scheme'>,
): AsyncGenerator<ImportRecord> {
  const pixels = { include: { pixel: true }, orderBy: { pixelId: 'asc' } } as const;
  const include = { domain: true, space: true, counter: true, pixels };
  const links = pages((id) =>
    db.link.findMany({
      where: { accountId, id: { gt: id } },
      take: BATCH_SIZE,
      orderBy: { id: 'asc' },
      include,
    }),
  );
  for await (const link of links) {
    const { domain, space, counter } = link;
    const { type, countries, platforms, languages, rotation } = targetingOf(link);
    yield {
      kind: 'link',
      short_url: shortUrlOf(services, domain, link),
      domain: domain.name,
      own_domain: domain.accountId !== null,
      alias: link.alias,
      url: link.url,
      ...Object.fromEntries(linkTexts.map((name) => [name, link[name]])),
      space: space?.name,
      space_color: space?.color,
      pixels: link.pixels.map(({ pixel: { name, type: network, value } }) => ({
        name,
        type: network,
        value,
      })),
      disabled: link.disabled,
      has_password: link.password !== null,
      privacy: link.privacy,
      has_privacy_password: link.privacyPassword !== null,
      expiration_url: link.expirationUrl,
      expires_at: link.expiresAt,
      expiration_clicks: link.expirationClicks,
      target_type: type,
      countries,
      platforms,
      languages,
      rotation,
      clicks: counter?.clicks ?? 0,
      last_clicked_at: counter?.lastClickedAt,
      created_at: link.createdAt,
      updated_at: link.updatedAt,
    };
  }
}

/** A value as a cell: lists as JSON, null as an empty text. */
function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.length === 0) return '';
  return Array.isArray(value) ? quoted(JSON.stringify(value)) : cellOf(String(value));
}

/** The records as CSV, by RFC 4180: a header, then a line for each. */
export async function* asCsv(records: AsyncIterable<ImportRecord>): AsyncGenerator<string> {
  yield `${exportFields.join(',')}\r\n`;
  for await (const record of records)
    yield `${exportFields.map((field) => written(record[field])).join(',')}\r\n`;
}

/** The records as one JSON document, a line for each. */
export async function* asJson(records: AsyncIterable<ImportRecord>): AsyncGenerator<string> {
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
