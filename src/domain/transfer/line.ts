import type { FieldError } from '../errors.ts';
import type { Origin } from '../link/bulk.ts';
import { linkTexts } from '../link/input.ts';
import type { ImportField, ImportRecord } from './formats.ts';
import { aliasIn, type DescribedPixel, hostIn, partsOf, pixelsOf } from './named-values.ts';
import { timestampIn } from './times.ts';
import { countOf, isSet, listOf, nameOf, numberOf, tagsOf, yesOrNo } from './values.ts';
import { textOf, WrongValue } from './wrong-value.ts';

/** A line that cannot be imported, with the reason for each field. */
export class RefusedLine extends Error {
  readonly fields: readonly FieldError[];

  constructor(fields: readonly FieldError[]) {
    super('the line cannot be imported');
    this.fields = fields;
  }
}

/** A space named by a line; without a colour, any space with the name matches. */
export interface NamedSpace {
  readonly name: string;
  readonly color: number | null;
}

/** The parsed values of a line, before names are looked up. */
export interface ImportLine {
  readonly kind: string;
  /** The host of its short URL; null if the file does not have it. */
  readonly host: string | null;
  /** Whether that host is a domain of the account, in our own export. */
  readonly ownDomain: boolean;
  readonly domainNotFoundUrl: string | null;
  readonly space: NamedSpace | null;
  readonly pixels: readonly DescribedPixel[];
  /** The fields of a new link, as input of the rules for links. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** Messages about parts of the line that cannot be imported. */
  readonly notes: readonly string[];
}

/** Parses a field of a record; undefined if it is absent or invalid. */
type Read = <T>(field: ImportField, parse: (value: unknown) => T) => T | undefined;

/** The values of a record. @throws RefusedLine with all errors in them */
export function readLine(record: ImportRecord, now: Date): ImportLine {
  const faults: FieldError[] = [];
  const line = lineOf(record, now, (field, parse) => {
    const value = record[field];
    try {
      return value === undefined ? undefined : parse(value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      faults.push({ path: [field], messages: [error.message] });
      return undefined;
    }
  });
  if (faults.length > 0) throw new RefusedLine(faults);
  return line;
}

function lineOf(record: ImportRecord, now: Date, read: Read): ImportLine {
  const notes: string[] = [];
  const kind = read('kind', textOf) ?? 'link';
  // With columns for alias and domain, the short URL is not needed.
  const isNamed = record.alias !== undefined && record.domain !== undefined;
  const short = isNamed ? undefined : read('short_url', partsOf);
  return {
    kind,
    host: read('domain', hostIn) ?? short?.host ?? null,
    // A line about a domain is about one of the account's own.
    ownDomain: read('own_domain', isSet) === true || kind === 'domain',
    domainNotFoundUrl: read('domain_not_found_url', textOf) ?? null,
    fields: {
      url: read('url', textOf),
      alias: read('alias', aliasIn) ?? short?.alias,
      ...Object.fromEntries(linkTexts.map((name) => [name, read(name, textOf)])),
      ...accessOf(read, now, notes),
      ...privacyOf(read, notes),
      expiration: {
        url: read('expiration_url', textOf),
        at: read('expires_at', timestampIn)?.toISOString(),
        clicks: read('expiration_clicks', countOf),
      },
      targeting: {
        type: read('target_type', textOf),
        countries: read('countries', listOf),
        platforms: read('platforms', listOf),
        languages: read('languages', listOf),
        rotation: read('rotation', listOf),
      },
    },
    space: spaceOf(read, notes),
    pixels: read('pixels', pixelsOf) ?? [],
    origin: {
      createdAt: read('created_at', timestampIn),
      updatedAt: read('updated_at', timestampIn),
      clicks: read('clicks', countOf),
      lastClickedAt: read('last_clicked_at', timestampIn),
    },
    notes,
  };
}

/** A link that visitors could not open must stay closed. */
function accessOf(read: Read, now: Date, notes: string[]) {
  const password = read('password', textOf);
  const isLocked = read('has_password', isSet) === true && password === undefined;
  if (isLocked) notes.push('had a password, which no export has: it is disabled until it gets another one');
  const opensAt = read('starts_at', timestampIn);
  const opensLater = opensAt !== undefined && opensAt > now;
  if (opensLater)
    notes.push(`opens only at ${opensAt.toISOString()}: it is disabled until it is enabled by hand`);
  const isDisabled = read('disabled', yesOrNo);
  return { password, disabled: isLocked || opensLater || isDisabled };
}

/** Statistics that had a password must not become public. */
function privacyOf(read: Read, notes: string[]) {
  const privacyPassword = read('privacy_password', textOf);
  const privacy = read('privacy', textOf);
  const hadPassword = read('has_privacy_password', isSet) === true;
  if (privacyPassword !== undefined || (privacy !== 'PASSWORD' && !hadPassword))
    return { privacy, privacyPassword };
  const isUnguarded = privacy === 'PASSWORD';
  // Beside another privacy, the password would be kept for later.
  const loss = isUnguarded ? 'they are private now' : 'it is not kept';
  notes.push(`had a password for its statistics, which no export has: ${loss}`);
  return { privacy: isUnguarded ? 'PRIVATE' : privacy };
}

function spaceOf(read: Read, notes: string[]): NamedSpace | null {
  const tags = read('tags', tagsOf) ?? [];
  const name = read('space', nameOf) ?? tags[0];
  if (tags.length > 1) notes.push(`has ${tags.length} tags, and a link is in one space: "${name}"`);
  return name === undefined ? null : { name, color: read('space_color', numberOf) ?? null };
}
