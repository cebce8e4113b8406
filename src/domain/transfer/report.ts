import type { FieldError } from '../../engine/rules/errors.ts';
import type { BulkItem, BulkOutcome } from '../link/bulk.ts';
import { shortened } from './values.ts';

/** A new link of a line. */
interface LinkOfLine extends BulkItem {
  readonly domainId: number;
  readonly alias: string | undefined;
  /** The number of its tags and pixels. */
  readonly parts: number;
  /** The host whose link goes to the default domain instead. */
  readonly insteadOf: string | undefined;
}

/** A message about a part of a line that is not imported as it is; without a field, it is about the line. Without a column, it is about the field's first one. */
export interface Note {
  readonly field?: string;
  readonly column?: string;
  readonly message: string;
}

/** A line whose names are resolved: its new links, or why it is refused. */
export interface Entry {
  readonly line: number;
  readonly links: readonly LinkOfLine[];
  readonly refused: readonly FieldError[];
  readonly notes: readonly Note[];
  /** True if a space, pixel or domain was created for it. */
  readonly isNew: boolean;
  /** The column of a field, if the file has one. */
  findColumn(field: string): string | null;
}

/** A message about a line. */
export interface LineMessage {
  readonly line: number;
  /** True if its link was imported nevertheless. */
  readonly taken: boolean;
  readonly field: string | null;
  /** The name of the field's column in the file, if it has one. */
  readonly column: string | null;
  readonly message: string;
}

/** The message, with the column or field that it is about. */
export function inWords({ field, column, message }: LineMessage): string {
  return field === null ? message : `${column === null ? field : `"${column}"`} ${message}`;
}

/** The names in a file of the fields of links and of what they name. */
const columnNames: Readonly<Record<string, string>> = {
  'domain.name': 'domain',
  'domain.notFoundUrl': 'domain_not_found_url',
  'domain.rootUrl': 'domain_root_url',
  'domain.apps': 'domain_apple_apps',
  'domain.forwardsPath': 'domain_forwards_path',
  'space.name': 'space',
  'space.color': 'space_color',
  domainId: 'domain',
  spaceId: 'space',
  pixelIds: 'pixels',
  tagIds: 'tags',
  'tags.name': 'tags',
  privacyPassword: 'privacy_password',
  'preview.title': 'preview_title',
  'preview.description': 'preview_description',
  'preview.image': 'preview_image',
  'expiration.url': 'expiration_url',
  'expiration.at': 'expires_at',
  'expiration.clicks': 'expiration_clicks',
  'targeting.type': 'target_type',
  externalId: 'external_id',
  startsAt: 'starts_at',
  redirectStatus: 'redirect_status',
  forwardsQuery: 'forward_query',
};

function findField(path: readonly string[]): string | null {
  const joined = path.join('.');
  return (
    columnNames[joined] ??
    (joined
      .replace(/^targeting\./, '')
      .replace(/^domain\.apps\.(apple|android)/, 'domain_$1_apps')
      .replace(/^ruleTests/, 'rule_tests') ||
      null)
  );
}

/** The field whose value an existing link does not get. */
export const EXTERNAL_ID = 'external_id';

/** Counts the results of lines, and reports messages about them. */
export class LineReports {
  readonly #onMessage: (message: LineMessage) => void;
  /** Lines without links are only of spaces, tags, pixels, domains, saved operations or saved views. */
  readonly counts = { lines: 0, created: 0, existing: 0, refused: 0, withoutLinks: 0 };
  /** The hosts of new links that went to the default domain instead, with their numbers. */
  readonly movedFrom = new Map<string, number>();

  constructor(onMessage: (message: LineMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** @param outcomes of its links; those after which the batch stopped are missing */
  add(entry: Entry, outcomes: readonly BulkOutcome[]): void {
    const { line, links, refused, notes, findColumn } = entry;
    const report = (taken: boolean, field: string | null, message: string) =>
      this.#onMessage({ line, taken, field, column: field && findColumn(field), message });
    const told = new Set<string>();
    const refuse = (fields: readonly FieldError[], about: string) => {
      this.counts.refused++;
      for (const { path, messages } of fields) {
        const field = findField(path);
        const message = `${field === 'alias' ? about : ''}${messages.join(', and ')}`;
        // All links of a line have the same errors, except in their aliases.
        if (!told.has(`${field} ${message}`)) report(false, field, message);
        told.add(`${field} ${message}`);
      }
    };
    this.counts.lines++;
    if (refused.length > 0) refuse(refused, '');
    else if (links.length === 0) this.counts.withoutLinks++;
    const isOne = links.length === 1;
    for (const [index, outcome] of outcomes.entries()) {
      const link = links[index];
      if (outcome.kind === 'refused')
        refuse(outcome.fields, isOne ? '' : `("${shortened(link?.alias ?? '')}") `);
      else if (outcome.kind === 'existing') {
        this.counts.existing++;
        if (outcome.keepsExternalId)
          report(true, EXTERNAL_ID, 'is not stored: the link exists, and keeps its own');
      } else this.#addCreated(outcome, link, (message) => report(true, 'alias', message));
    }
    if (!outcomes.some(({ kind }) => kind === 'created')) return;
    const all: readonly Note[] = isOne ? notes : [...notes, { message: noteOfAliases(outcomes, links) }];
    for (const { field = null, column = field && findColumn(field), message } of all)
      this.#onMessage({ line, taken: true, field, column, message });
  }

  #addCreated(
    { alias, renamed, similar }: BulkOutcome & { readonly kind: 'created' },
    link: LinkOfLine | undefined,
    report: (message: string) => void,
  ): void {
    this.counts.created++;
    const { insteadOf } = link ?? {};
    if (insteadOf !== undefined) this.movedFrom.set(insteadOf, (this.movedFrom.get(insteadOf) ?? 0) + 1);
    if (renamed) report(`is already taken on this domain: the link is "${alias}"`);
    else if (link?.alias === undefined) report(`is missing: the link is "${alias}"`);
    if (similar !== null)
      report(`differs from "${similar}" only in case: both links exist, since aliases are case-sensitive`);
  }
}

/** A note about the links of a line with several short URLs, whose clicks its service counted together. */
function noteOfAliases([first]: readonly BulkOutcome[], links: readonly LinkOfLine[]): string {
  const clicks =
    first?.kind === 'refused'
      ? `the clicks belong to "${shortened(links[0]?.alias ?? '')}", which is not imported`
      : `the clicks are those of "${first?.alias}"`;
  return `has ${links.length} short URLs, and each is a link: ${clicks}`;
}
