import type {
  CreateLinkInput,
  DuplicateLinkInput,
  LinkFilter,
  LinkFragment,
  UpdateLinkInput,
} from '@linkspace/client';
import type { Command } from 'commander';
import { choice, enumValue, parseObject, readText, repeated, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { findDomainId, findId } from '../names.ts';
import { pairs, table } from '../output.ts';
import { take } from '../pages.ts';

const STATUSES = ['ACTIVE', 'DISABLED', 'EXPIRED'] as const;
const ARCHIVED = ['WITHOUT', 'ONLY', 'WITH'] as const;
const PRIVACIES = ['PUBLIC', 'PRIVATE', 'PASSWORD'] as const;
const ORDERS = ['ID', 'ALIAS', 'CLICKS', 'TITLE', 'UPDATED_AT', 'URL'] as const;
/** The ways to name a link. */
export const REFERENCE = 'the id of the link, its short URL, or external:ID';
const EXTERNAL = 'external:';

/** Finds a link by its id, its short URL or its external id. @throws CliError if the account has none */
export async function findLink({ client, io }: Context, reference: string): Promise<LinkFragment> {
  const options = { signal: io.signal };
  const read = (): Promise<LinkFragment | null> => {
    if (reference.startsWith(EXTERNAL))
      return client.findLinkByExternalId(reference.slice(EXTERNAL.length), options);
    if (/^\d+$/.test(reference)) return client.getLink(reference, options);
    if (reference.includes('/')) return client.findLinkByShortUrl(reference, options);
    throw usageError(`${JSON.stringify(reference)} is not a link: give ${REFERENCE}.`);
  };
  const link = await read();
  if (link === null) throw new CliError(`There is no link ${JSON.stringify(reference)}.`, EXIT.notFound);
  return link;
}

interface Fields {
  readonly url?: string;
  readonly alias?: string;
  readonly title?: string;
  readonly notes?: string;
  readonly domain?: string;
  readonly space?: string;
  readonly tag?: string[];
  readonly externalId?: string;
  readonly disabled?: true;
  readonly enabled?: true;
  readonly archived?: true;
  readonly unarchived?: true;
  readonly startsAt?: string;
  readonly redirectStatus?: number;
  readonly privacy?: string;
  readonly expiresAt?: string;
  readonly expiresClicks?: number;
  readonly expiresUrl?: string;
  readonly input?: string;
  readonly clear?: string[];
}

function addFields(command: Command): Command {
  return command
    .option('--alias <alias>', 'the path of the short URL')
    .option('--title <title>', 'the title')
    .option('--notes <text>', 'notes for the people of the account')
    .option('--space <name>', 'the space, by its name or id:ID')
    .option('--tag <name>', 'a tag, by its name or id:ID; may be repeated, and replaces all', repeated)
    .option('--external-id <id>', 'an id of your own')
    .option('--disabled', 'the link redirects nobody')
    .option('--enabled', 'the link redirects visitors')
    .option('--archived', 'lists leave the link out')
    .option('--unarchived', 'lists have the link again')
    .option('--starts-at <time>', 'when it begins, such as 2027-01-01T00:00:00Z')
    .option('--redirect-status <status>', '301, 302, 307 or 308', wholeNumber(301, 308))
    .addOption(choice('--privacy <privacy>', 'who may see the statistics', PRIVACIES))
    .option('--expires-at <time>', 'when it expires, such as 2027-01-01T00:00:00Z')
    .option(
      '--expires-clicks <number>',
      'the number of clicks after which it expires',
      wholeNumber(1, 999_999_999),
    )
    .option('--expires-url <url>', 'where visitors go after that')
    .option(
      '--input <file>',
      'a JSON object with any fields of the input, such as passwords; - is standard input',
    );
}

/** Returns the input of the schema: the fields of `--input`, then those of the options. */
async function readFields(context: Context, fields: Fields): Promise<Record<string, unknown>> {
  const { client } = context;
  if (fields.disabled && fields.enabled) throw usageError('Give --disabled or --enabled, not both.');
  if (fields.archived && fields.unarchived) throw usageError('Give --archived or --unarchived, not both.');
  const given =
    fields.input === undefined ? {} : parseObject(await readText(context, fields.input), '--input');
  const cleared = Object.fromEntries((fields.clear ?? []).map((name) => [name, null]));
  const expiration = {
    ...(fields.expiresAt !== undefined && { at: fields.expiresAt }),
    ...(fields.expiresClicks !== undefined && { clicks: fields.expiresClicks }),
    ...(fields.expiresUrl !== undefined && { url: fields.expiresUrl }),
  };
  return {
    ...given,
    ...cleared,
    ...(fields.url !== undefined && { url: fields.url }),
    ...(fields.alias !== undefined && { alias: fields.alias }),
    ...(fields.title !== undefined && { title: fields.title }),
    ...(fields.notes !== undefined && { notes: fields.notes }),
    ...(fields.startsAt !== undefined && { startsAt: fields.startsAt }),
    ...(fields.redirectStatus !== undefined && { redirectStatus: fields.redirectStatus }),
    ...(fields.archived && { archived: true }),
    ...(fields.unarchived && { archived: false }),
    ...(fields.externalId !== undefined && { externalId: fields.externalId }),
    ...(fields.disabled && { disabled: true }),
    ...(fields.enabled && { disabled: false }),
    ...(fields.privacy !== undefined && { privacy: enumValue(PRIVACIES, fields.privacy) }),
    ...(Object.keys(expiration).length > 0 && { expiration }),
    ...(fields.domain !== undefined && { domainId: await findDomainId(client, fields.domain) }),
    ...(fields.space !== undefined && { spaceId: await findId(client, 'space', fields.space) }),
    ...(fields.tag && { tagIds: await Promise.all(fields.tag.map((name) => findId(client, 'tag', name))) }),
  };
}

function showLink(context: Context, link: LinkFragment): Promise<void> {
  const { expiration, targeting } = link;
  const text = pairs([
    ['id', link.id],
    ['short URL', link.shortUrl],
    ['destination', link.url],
    ['title', link.title],
    ['notes', link.notes],
    ['status', link.status.toLowerCase()],
    ['clicks', link.clicks],
    ['last click', link.lastClickedAt],
    ['space', link.space?.name],
    ['tags', link.tags.map(({ name }) => name).join(', ')],
    ['pixels', link.pixels.map(({ name }) => name).join(', ')],
    ['external id', link.externalId],
    ['password', link.hasPassword ? 'yes' : null],
    ['statistics', link.privacy.toLowerCase()],
    ['archived', link.archived ? 'yes' : null],
    ['redirect status', link.redirectStatus === 302 ? null : link.redirectStatus],
    ['starts at', link.startsAt],
    ['expires at', expiration.at],
    ['expires after', expiration.clicks === null ? null : `${expiration.clicks} clicks`],
    ['then', expiration.url],
    ['targeting', targeting.type === 'NONE' ? null : targeting.type.toLowerCase()],
    ['created', link.createdAt],
    ['updated', link.updatedAt],
  ]);
  return context.show(link, text);
}

interface ListOptions {
  readonly search?: string;
  readonly space?: string;
  readonly tag?: string[];
  readonly status?: string;
  readonly externalIdPrefix?: string;
  readonly archived?: string;
  readonly order: string;
  readonly ascending?: true;
  readonly limit: number;
  readonly all?: true;
}

async function listLinks(context: Context, options: ListOptions): Promise<void> {
  const { client, io } = context;
  const filter: LinkFilter = {
    ...(options.search !== undefined && { search: options.search, searchBy: 'ANYWHERE' }),
    ...(options.space !== undefined && { spaceId: await findId(client, 'space', options.space) }),
    ...(options.tag && {
      tags: { all: await Promise.all(options.tag.map((name) => findId(client, 'tag', name))) },
    }),
    ...(options.status !== undefined && { status: enumValue(STATUSES, options.status) }),
    ...(options.archived !== undefined && { archived: enumValue(ARCHIVED, options.archived) }),
    ...(options.externalIdPrefix !== undefined && { externalIdPrefix: options.externalIdPrefix }),
  };
  const orderBy = {
    field: enumValue(ORDERS, options.order),
    direction: options.ascending ? ('ASC' as const) : ('DESC' as const),
  };
  const limit = options.all ? null : options.limit;
  const links = await take(client.links({ filter, orderBy }, { signal: io.signal }), limit);
  const rows = links.map((link) => [
    ...[link.id, link.shortUrl, link.url, link.title, link.space?.name],
    ...[link.tags.map(({ name }) => name).join(', '), link.clicks, link.status.toLowerCase()],
  ]);
  const header = ['ID', 'SHORT URL', 'DESTINATION', 'TITLE', 'SPACE', 'TAGS', 'CLICKS', 'STATUS'];
  await context.show(
    links,
    rows.length > 0 ? table(header, rows, io.isTerminal.output) : 'There are no links.',
  );
}

export function addLinks(program: Command, context: Context): void {
  const links = program.command('links').description('create, list, show, edit and delete links');

  addFields(links.command('create').description('create a link').argument('<url>', 'the destination'))
    .option('--domain <name>', 'the domain of the short URL')
    .action(async (url: string, fields: Fields) => {
      const input = { ...(await readFields(context, fields)), url };
      // The service checks what --input has.
      await showLink(context, await context.client.createLink(input satisfies CreateLinkInput));
    });

  links
    .command('list')
    .description('list links, the newest first')
    .option('--search <words>', 'words in the title, alias, URL, space or tags')
    .option('--space <name>', 'only links in this space')
    .option('--tag <name>', 'only links with this tag; may be repeated', repeated)
    .addOption(choice('--status <status>', 'only links with this status', STATUSES))
    .option('--external-id-prefix <text>', 'only links whose external id begins with this')
    .addOption(choice('--archived <which>', 'without archived links, only these, or with both', ARCHIVED))
    .addOption(choice('--order <field>', 'what to order by', ORDERS).default('id'))
    .option('--ascending', 'the smallest or oldest first')
    .option('--limit <number>', 'the number of links', wholeNumber(1, 1_000_000), 100)
    .option('--all', 'all links, whatever the limit')
    .action((options: ListOptions) => listLinks(context, options));

  links
    .command('show')
    .description('show a link')
    .argument('<link>', REFERENCE)
    .action(async (reference: string) => showLink(context, await findLink(context, reference)));

  addFields(links.command('edit').description('change fields of a link').argument('<link>', REFERENCE))
    .option('--url <url>', 'the destination')
    .option('--clear <field>', 'a field of the input to clear, such as title; may be repeated', repeated)
    .option(
      '--if-updated-at <time>',
      'the updatedAt of the link as you know it; a link that has changed since stays',
    )
    .action(async (reference: string, fields: Fields & { ifUpdatedAt?: string }) => {
      const input: UpdateLinkInput = await readFields(context, fields);
      if (Object.keys(input).length === 0) throw usageError('Give at least one field to change. See --help.');
      const { id } = await findLink(context, reference);
      const ifUpdatedAt = fields.ifUpdatedAt ?? null;
      await showLink(context, await context.client.updateLink({ id, input, ifUpdatedAt }));
    });

  addFields(
    links
      .command('duplicate')
      .description('create a link with the fields of another one, without its clicks')
      .argument('<link>', REFERENCE),
  )
    .option('--url <url>', 'the destination')
    .option('--domain <name>', 'the domain of the short URL')
    .option('--clear <field>', 'a field that the new link lacks, such as title; may be repeated', repeated)
    .action(async (reference: string, fields: Fields) => {
      const input: DuplicateLinkInput = await readFields(context, fields);
      const { id } = await findLink(context, reference);
      await showLink(context, await context.client.duplicateLink({ id, input }));
    });

  links
    .command('delete')
    .description('delete a link, with its clicks')
    .argument('<link>', REFERENCE)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes = false }: { yes?: boolean }) => {
      const { id, shortUrl, clicks } = await findLink(context, reference);
      await context.confirm(`Delete ${shortUrl}, with ${clicks} clicks?`, yes);
      await context.client.deleteLink(id);
      await context.show({ id, shortUrl }, `Deleted ${shortUrl}.`);
    });
}
