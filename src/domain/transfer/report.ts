import type { BulkItem } from '../link/bulk.ts';
import type { BulkOutcome } from '../link/bulk-outcome.ts';
import type { Entry } from './entry.ts';

/** A message about a line. */
export interface LineMessage {
  readonly line: number;
  /** Whether its link was imported nevertheless. */
  readonly taken: boolean;
  readonly field: string | null;
  /** The name of the field's column in the file, if it has one. */
  readonly column: string | null;
  readonly message: string;
}

/** The names in a file of the fields of links and of what they name. */
const columnNames: Readonly<Record<string, string>> = {
  'domain.name': 'domain',
  'domain.notFoundUrl': 'domain_not_found_url',
  'space.name': 'space',
  'space.color': 'space_color',
  domainId: 'domain',
  spaceId: 'space',
  pixelIds: 'pixels',
  privacyPassword: 'privacy_password',
  'expiration.url': 'expiration_url',
  'expiration.at': 'expires_at',
  'expiration.clicks': 'expiration_clicks',
  'targeting.type': 'target_type',
};

function fieldOf(path: readonly string[]): string | null {
  const joined = path.join('.');
  return columnNames[joined] ?? (joined.replace(/^targeting\./, '') || null);
}

/** Counts the results of lines, and reports messages about them. */
export class LineReports {
  readonly #onMessage: (message: LineMessage) => void;
  readonly counts = { lines: 0, created: 0, existing: 0, refused: 0 };
  /** The hosts of new links that went to the default domain instead, with their numbers. */
  readonly movedFrom = new Map<string, number>();

  constructor(onMessage: (message: LineMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** @param outcome null for a line without a new link */
  add({ line, refused, notes, item, insteadOf, columnOf }: Entry, outcome: BulkOutcome | null): void {
    const report = (taken: boolean, field: string | null, message: string) =>
      this.#onMessage({ line, taken, field, column: field && columnOf(field), message });
    const fields = outcome?.kind === 'refused' ? outcome.fields : refused;
    for (const { path, messages } of fields) report(false, fieldOf(path), messages.join(', and '));
    this.counts.lines++;
    if (fields.length > 0) this.counts.refused++;
    if (outcome?.kind === 'existing') this.counts.existing++;
    if (outcome?.kind !== 'created') return;
    this.counts.created++;
    if (insteadOf !== undefined) this.movedFrom.set(insteadOf, (this.movedFrom.get(insteadOf) ?? 0) + 1);
    const { alias, renamed, similar } = outcome;
    if (renamed) report(true, 'alias', `is already taken on this domain: the link is "${alias}"`);
    else if (hasNoAlias(item)) report(true, 'alias', `is missing: the link is "${alias}"`);
    if (similar !== null)
      report(
        true,
        'alias',
        `differs from "${similar}" only in case: both links exist, since aliases are case-sensitive`,
      );
    for (const message of notes) report(true, null, message);
  }
}

function hasNoAlias(item: BulkItem | null): boolean {
  const input = item?.input;
  return typeof input === 'object' && input !== null && 'alias' in input && input.alias === undefined;
}
