import type { SelectedLink } from '../../db/links.ts';
import { findLinks } from '../../domain/link/find-links.ts';
import {
  type ImportedLine,
  importText,
  MAX_MAPPED,
  MAX_RECORDS,
  MAX_TOLD_FIELDS,
} from '../../domain/transfer/import-text.ts';
import { costs } from '../../engine/graphql/cost/costs.ts';
import { limitedTo } from '../../engine/graphql/input-limits.ts';
import { builder } from '../builder.ts';
import { importCost } from '../cost/field-cost.ts';
import { enumType } from '../domain-types.ts';
import { FieldErrorType } from '../result.ts';
import { Link, selectFor } from './link.ts';
import { LinkPrivacy } from './privacy.ts';

/** The values of an enum, by those of the domain. */
const lower = <Name extends string>(name: Name) => name.toLowerCase() as Lowercase<Name>; // It is what it does.

const service = (name: string) => `What ${name} exports, as CSV or JSON.`;

const ImportFormat = enumType('ImportFormat', 'What a text to import is.', {
  CSV: "This service's own export, or any CSV with its columns; also as JSON.",
  LINES: 'A URL in each line; an alias and a title may follow, separated by tabs or by two spaces.',
  BITLY: service('Bitly'),
  DUB: service('Dub'),
  KUTT: service('Kutt'),
  REBRANDLY: service('Rebrandly'),
  SHLINK: service('Shlink'),
  YOURLS: service('YOURLS'),
});

const ImportOnTaken = enumType('ImportOnTaken', 'What an import does if another link has the alias.', {
  SKIP: 'Refuses the new link.',
  SUFFIX: 'Gives the new link the alias with -2, -3 and so on.',
  FAIL: 'Refuses the new link, and ends there: nothing is said of what follows.',
});

const ImportStatus = enumType('ImportStatus', 'What became of a link of an import.', {
  CREATED: 'It is new, or would be.',
  EXISTS: 'The account has it already, with the same alias and URL; it stays as it is.',
  REFUSED: 'It cannot be imported.',
});

const DomainMapInput = builder.inputType('DomainMapInput', {
  description: 'A domain for the links of a host.',
  fields: (t) => ({
    from: t.string({ required: true, description: 'The host in the text.' }),
    to: t.string({ required: true, description: 'The name of a domain that the account may use.' }),
  }),
});

interface Imported extends ImportedLine {
  readonly link: SelectedLink | undefined;
  readonly existingLink: SelectedLink | undefined;
}

const ImportedLink = builder.objectRef<Imported>('ImportedLink').implement({
  description: 'What became of a link of an import, or of a record that is no link.',
  fields: (t) => ({
    line: t.exposeInt('line', {
      description:
        'The line of the text in which its record begins, from 1; for JSON, the number of the record.',
    }),
    status: t.expose('status', { type: ImportStatus, description: 'What became of it.' }),
    link: t.field({
      type: Link,
      nullable: true,
      description: 'The link, unless there is none.',
      resolve: ({ link }) => link,
    }),
    alias: t.exposeString('alias', {
      nullable: true,
      description: 'Its alias; if it is refused, the alias in the text.',
    }),
    existingLinkId: t.exposeID('existingLinkId', {
      nullable: true,
      description:
        'In a dry run, for a new link: the id of the newest link of the account that leads to the same URL already.',
    }),
    existingLink: t.field({
      type: Link,
      nullable: true,
      description: 'That link.',
      resolve: ({ existingLink }) => existingLink,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it is refused, or what about the link is not as in the text, for people.',
    }),
    fields: t.field({
      type: [FieldErrorType],
      description: `What is wrong with it, for at most ${MAX_TOLD_FIELDS} fields.`,
      extensions: costs({ size: MAX_TOLD_FIELDS }),
      resolve: ({ fields }) => [...fields],
    }),
  }),
});

interface Result {
  readonly results: readonly Imported[];
  readonly unusedColumns: readonly string[];
}

const ImportLinksResult = builder.objectRef<Result>('ImportLinksResult').implement({
  description: 'What became of the records of an import.',
  fields: (t) => ({
    results: t.field({
      type: [ImportedLink],
      description: 'What became of each, in order. A record with several short URLs has several.',
      extensions: costs({ size: MAX_RECORDS }),
      resolve: ({ results }) => results,
    }),
    unusedColumns: t.exposeStringList('unusedColumns', {
      description: 'The columns with values that are not imported, at most 50.',
      extensions: costs({ size: 50 }),
    }),
  }),
});

builder.mutationField('importLinks', (t) =>
  t.field({
    type: ImportLinksResult,
    description:
      `Imports links from a text, by the rules of the command \`import\`: at most ${MAX_RECORDS} records and 512 kB. A ` +
      'refused record does not affect the others, and an existing link stays as it is, so an import may be repeated.',
    extensions: importCost,
    args: {
      text: t.arg.string({ required: true, description: 'The text.', ...limitedTo({ isLong: true }) }),
      format: t.arg({ type: ImportFormat, required: true, description: 'What it is.' }),
      dryRun: t.arg.boolean({ description: 'Whether nothing is written; false by default.' }),
      onTaken: t.arg({
        type: ImportOnTaken,
        description: 'What to do if another link has the alias; SKIP by default.',
      }),
      domainMap: t.arg({
        type: [DomainMapInput],
        ...limitedTo({ maxItems: MAX_MAPPED }),
        description:
          'Domains for the links of some hosts. Others go to the domain of that name, or the default one.',
      }),
      spaceId: t.arg.id({ description: 'The space of links for which the text names none.' }),
      privacy: t.arg({
        type: LinkPrivacy,
        description:
          'The privacy of links for which the text names none: PUBLIC or PRIVATE; PUBLIC by default.',
      }),
    },
    resolve: async (_root, { format, dryRun, onTaken, domainMap, spaceId, privacy, text }, context, info) => {
      const { db, actor, services, lists, now, keyed } = context;
      const input = {
        ...{ text, format: lower(format), dryRun: dryRun ?? false, onTaken: lower(onTaken ?? 'SKIP') },
        ...{ domainMap: domainMap ?? [], spaceId: spaceId ?? null, isOneTransaction: keyed !== undefined },
        privacy: privacy ?? null,
      };
      const { results, unusedColumns } = await importText(db, actor, services, input, now());
      const ids = [...new Set(results.flatMap((one) => one.linkId ?? one.existingLinkId ?? []))];
      const paths = [
        ['results', 'link'],
        ['results', 'existingLink'],
      ];
      const select = selectFor(context, info, paths);
      const found = ids.length === 0 ? [] : await findLinks(lists, actor, ids, select);
      const links = new Map(found.map((link) => [link.id, link]));
      return {
        results: results.map((one) => ({
          ...one,
          link: links.get(one.linkId ?? 0),
          existingLink: links.get(one.existingLinkId ?? 0),
        })),
        unusedColumns,
      };
    },
  }),
);
