import type { FieldError } from '../errors.ts';
import type { Origin } from '../link/bulk.ts';
import { linkTexts } from '../link/input.ts';
import { normalizeHost } from '../url.ts';
import type { ImportField, ImportRecord } from './formats.ts';
import {
  countOf,
  isSet,
  listIn,
  listOf,
  nameOf,
  numberOf,
  tagsOf,
  textOf,
  timestampIn,
  WrongValue,
  wrong,
  yesOrNo,
} from './values.ts';

/** A space named by a line; without a colour, any space with the name matches. */
export interface NamedSpace {
  readonly name: string;
  readonly color: number | null;
}

/** A pixel described by a line. */
export interface DescribedPixel {
  readonly name: string;
  readonly type: string;
  readonly value: string;
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

/** What separates two short URLs in a text. */
const BETWEEN_URLS = /[,;|]\s*(?=(?:[a-z]+:\/\/)?[\w-]+\.[\w.:-]+\/)/i;

/** The host and the alias of a short URL, with or without its scheme; of several, those of the first. */
function partsOf(shortUrl: unknown): { host: string | null; alias: string } {
  const [one] = listIn(shortUrl, BETWEEN_URLS);
  const text = textOf(one).replace(/^[a-z]+:\/\//i, '');
  const [host = '', ...path] = text.split(/[?#]/)[0]?.split('/') ?? [];
  const normal = normalizeHost(host);
  const alias = path.join('/').replace(/\/$/, '');
  if (normal === null || alias === '') wrong(shortUrl, 'a short URL with a host and an alias');
  return { host: normal, alias };
}

/** The values of a record, or all errors in them, by field. */
export function readLine(record: ImportRecord, now: Date): { line: ImportLine } | { wrong: FieldError[] } {
  const faults: FieldError[] = [];
  const read = <T>(field: ImportField, parse: (value: unknown) => T): T | undefined => {
    const value = record[field];
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      faults.push({ path: [field], messages: [error.message] });
      return undefined;
    }
  };
  const kind = read('kind', textOf) ?? 'link';
  // With columns for alias and domain, the short URL is not needed.
  const named = record.alias !== undefined && record.domain !== undefined;
  const short = named ? undefined : read('short_url', partsOf);
  const host = read('domain', hostIn) ?? short?.host ?? null;
  const notes: string[] = [];
  const lists = targetsOf(read);
  const password = read('password', textOf);
  const isLocked = read('has_password', isSet) === true && password === undefined;
  if (isLocked) notes.push('had a password, which no export has: it is disabled until it gets another one');
  const isDisabled = read('disabled', yesOrNo);
  const opensAt = read('starts_at', timestampIn);
  const opensLater = opensAt !== undefined && opensAt > now;
  if (opensLater)
    notes.push(`opens only at ${opensAt.toISOString()}: it is disabled until it is enabled by hand`);
  const privacyPassword = read('privacy_password', textOf);
  const stated = read('privacy', textOf);
  const isUnguarded = stated === 'PASSWORD' && privacyPassword === undefined;
  if (isUnguarded) notes.push('had a password for its statistics, which no export has: they are private now');
  // It is kept beside another privacy, for the next time that it is a password.
  else if (read('has_privacy_password', isSet) === true && privacyPassword === undefined)
    notes.push('had a password for its statistics, which no export has: it is not kept');
  const tags = read('tags', tagsOf) ?? [];
  const spaceName = read('space', nameOf) ?? tags[0];
  if (tags.length > 1) notes.push(`has ${tags.length} tags, and a link is in one space: "${spaceName}"`);
  const fields = {
    url: read('url', textOf),
    alias: read('alias', aliasIn) ?? short?.alias,
    ...Object.fromEntries(linkTexts.map((name) => [name, read(name, textOf)])),
    disabled: isLocked || opensLater || isDisabled,
    password,
    privacy: isUnguarded ? 'PRIVATE' : stated,
    privacyPassword,
    expiration: {
      url: read('expiration_url', textOf),
      at: read('expires_at', timestampIn)?.toISOString(),
      clicks: read('expiration_clicks', countOf),
    },
    targeting: { type: read('target_type', textOf), ...lists },
  };
  const line = {
    kind,
    host,
    // A line of a domain says nothing else.
    ownDomain: read('own_domain', isSet) === true || kind === 'domain',
    domainNotFoundUrl: read('domain_not_found_url', textOf) ?? null,
    space: spaceName === undefined ? null : { name: spaceName, color: read('space_color', numberOf) ?? null },
    pixels: read('pixels', pixelsOf) ?? [],
    fields,
    origin: {
      createdAt: read('created_at', timestampIn),
      updatedAt: read('updated_at', timestampIn),
      clicks: read('clicks', countOf),
      lastClickedAt: read('last_clicked_at', timestampIn),
    },
    notes,
  };
  return faults.length > 0 ? { wrong: faults } : { line };
}

/** The host of a domain: as a name, as a URL, or as an object with one. */
function hostIn(value: unknown): string {
  const { fullName, name, address } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >; // Any property may be absent.
  const allowed = 'a host name, such as go.example';
  const text = textOf(fullName ?? name ?? address ?? value, allowed)
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/\/.*$/, '');
  return normalizeHost(text) ?? wrong(value, allowed);
}

/** The alias without the slash that some exports put before it. */
function aliasIn(value: unknown): string {
  return textOf(value).replace(/^\//, '');
}

type Read = <T>(field: ImportField, parse: (value: unknown) => T) => T | undefined;

function targetsOf(read: Read) {
  return {
    countries: read('countries', listOf),
    platforms: read('platforms', listOf),
    languages: read('languages', listOf),
    rotation: read('rotation', listOf),
  };
}

function pixelsOf(value: unknown): DescribedPixel[] {
  return listOf(value).map((pixel) => {
    const {
      name,
      type,
      value: id,
    } = (typeof pixel === 'object' && pixel !== null ? pixel : {}) as Record<string, unknown>; // Any property may be absent.
    if (name === undefined || type === undefined || id === undefined)
      return wrong(pixel, 'a pixel with its name, type and value');
    return { name: textOf(name), type: textOf(type), value: textOf(id) };
  });
}
