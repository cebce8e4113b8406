import type { FieldError } from '../errors.ts';
import type { Origin } from '../link/bulk.ts';
import { linkTexts } from '../link/input.ts';
import type { Platform } from '../link/targeting.ts';
import type { Format, ImportField, ImportRecord } from './formats.ts';
import {
  aliasIn,
  countryTargetsOf,
  type DescribedPixel,
  hostIn,
  pixelsOf,
  shortUrlsOf,
} from './named-values.ts';
import { timestampIn } from './times.ts';
import { countOf, isSet, listOf, nameOf, numberOf, tagsOf, yesOrNo } from './values.ts';
import { shortened, textOf, WrongValue } from './wrong-value.ts';

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

/** A short URL; null or undefined for what the file does not have. */
export interface NamedLink {
  readonly host: string | null;
  readonly alias: string | undefined;
}

/** The parsed values of a line, before names are looked up. */
export interface ImportLine {
  readonly kind: string;
  /** Its short URLs, of which each becomes a link. */
  readonly names: readonly [NamedLink, ...NamedLink[]];
  /** Whether its host is a domain of the account, in our own export. */
  readonly ownDomain: boolean;
  readonly domainNotFoundUrl: string | null;
  readonly space: NamedSpace | null;
  readonly pixels: readonly DescribedPixel[];
  /** The fields of its links except the alias, as input of the rules for links. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** Messages about parts of the line that cannot be imported. */
  readonly notes: readonly string[];
}

/** Parses a field of a record; undefined if it is absent or invalid. */
type Read = <T>(field: ImportField, parse: (value: unknown) => T) => T | undefined;

/** The values of a record. @throws RefusedLine with all errors in them */
export function readLine(record: ImportRecord, format: Format, now: Date): ImportLine {
  const faults: FieldError[] = [];
  const line = lineOf(record, format, now, (field, parse) => {
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

function lineOf(record: ImportRecord, format: Format, now: Date, read: Read): ImportLine {
  const notes: string[] = [];
  const kind = read('kind', textOf) ?? 'link';
  if (read('redirect_rules', isSet) === true)
    notes.push('has redirect rules, which are not in the file: it leads every visitor to the same URL');
  return {
    kind,
    names: namesOf(record, format, read, notes),
    // A line about a domain is about one of the account's own.
    ownDomain: read('own_domain', isSet) === true || kind === 'domain',
    domainNotFoundUrl: read('domain_not_found_url', textOf) ?? null,
    fields: {
      url: read('url', textOf),
      ...Object.fromEntries(linkTexts.map((name) => [name, read(name, textOf)])),
      ...accessOf(read, now, notes),
      ...privacyOf(read, notes),
      expiration: {
        url: read('expiration_url', textOf),
        at: read('expires_at', timestampIn)?.toISOString(),
        clicks: read('expiration_clicks', countOf),
      },
      targeting: targetingOf(read, notes),
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

/** The short URLs of a line, without duplicates. */
function namesOf(record: ImportRecord, format: Format, read: Read, notes: string[]): ImportLine['names'] {
  // With columns for alias and domain, the short URL is not needed, unless the record may have several.
  const isNamed = record.alias !== undefined && record.domain !== undefined && !format.hasAliases;
  const shortUrls = isNamed ? [] : (read('short_url', (value) => shortUrlsOf(value, format)) ?? []);
  const domain = read('domain', hostIn);
  const alias = read('alias', (value) => aliasIn(value, format.root));
  const [first] = shortUrls;
  const main = { host: domain ?? first?.host ?? null, alias: alias ?? first?.alias };
  if (!format.hasAliases && alias === undefined && shortUrls.length > 1)
    notes.push(`has ${shortUrls.length} short URLs: only "${main.alias}" is imported`);
  if (!format.hasAliases) return [main];
  const all = [...(alias === undefined ? [] : [main]), ...shortUrls];
  const distinct = new Map<string, NamedLink>(all.map((one) => [`${one.host}/${one.alias}`, one]));
  const [head = main, ...others] = distinct.values();
  return [head, ...others];
}

/** Platforms that other services call desktop. */
const DESKTOPS: readonly Platform[] = ['WINDOWS', 'OS_X', 'LINUX', 'UBUNTU', 'CHROME_OS'];

function targetingOf(read: Read, notes: string[]) {
  const targetOf = (field: ImportField, platforms: readonly Platform[]) => {
    const url = read(field, textOf);
    return url === undefined ? [] : platforms.map((platform) => ({ platform, url }));
  };
  const devices = [
    ...targetOf('ios_url', ['IOS']),
    ...targetOf('android_url', ['ANDROID']),
    ...targetOf('desktop_url', DESKTOPS),
  ];
  const urls = read('country_urls', countryTargetsOf) ?? [];
  if (devices.length > 0 && urls.length > 0)
    notes.push('has targets by platform and by country, and a link uses one of them: those by platform');
  const found = devices.length > 0 ? 'PLATFORM' : urls.length > 0 ? 'COUNTRY' : undefined;
  return {
    type: read('target_type', textOf) ?? found,
    countries: read('countries', listOf) ?? (urls.length > 0 ? urls : undefined),
    platforms: read('platforms', listOf) ?? (devices.length > 0 ? devices : undefined),
    languages: read('languages', listOf),
    rotation: read('rotation', listOf),
  };
}

/** A link that visitors could not open must stay closed. */
function accessOf(read: Read, now: Date, notes: string[]) {
  const password = read('password', textOf);
  const isLocked = read('has_password', isSet) === true && password === undefined;
  if (isLocked) notes.push('had a password, which is not imported: it is disabled until it gets another one');
  const opensAt = read('starts_at', timestampIn);
  const opensLater = opensAt !== undefined && opensAt > now;
  if (opensLater)
    notes.push(`opens only at ${opensAt.toISOString()}: it is disabled until it is enabled by hand`);
  const status = read('status', textOf) ?? 'active';
  const isClosed = status.toLowerCase() !== 'active';
  if (isClosed) notes.push('has a status other than active: it is disabled');
  const isDisabled = read('disabled', yesOrNo);
  return { password, disabled: isLocked || opensLater || isClosed || isDisabled };
}

/** Statistics that had a password must not become public. */
function privacyOf(read: Read, notes: string[]) {
  const privacyPassword = read('privacy_password', textOf);
  const isPublic = read('public_statistics', yesOrNo);
  const privacy = read('privacy', textOf) ?? (isPublic === false ? 'PRIVATE' : undefined);
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
  const lost = tags.filter((tag) => tag !== name).join(', ');
  if (lost !== '') notes.push(`is in the space "${name}", and without its other tags: ${shortened(lost)}`);
  return name === undefined ? null : { name, color: read('space_color', numberOf) ?? null };
}
