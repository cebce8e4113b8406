import type { IncomingHttpHeaders } from 'node:http';
import { type CountryResponse, open } from 'maxmind';
import { countryCode } from '../../domain/visit/visitor.ts';

/** The country of a visitor: a code that targets can have, or null if unknown. */
export type CountryOf = (headers: IncomingHttpHeaders, address: string) => string | null;

/**
 * Looks up the country by the proxy's header, or else by the database of addresses.
 * @param database the path of an .mmdb file, such as MaxMind's GeoLite2 Country; it is read once
 * @throws Error if the file is missing or not such a database
 */
export async function countryLookup(header?: string, database?: string): Promise<CountryOf> {
  const name = header?.toLowerCase();
  const reader = database === undefined ? null : await open<CountryResponse>(database);
  const byAddress = (address: string): string | undefined => {
    const found = reader?.get(address.replace(/^::ffff:(?=[\d.]+$)/, ''));
    return found?.country?.iso_code ?? found?.registered_country?.iso_code;
  };
  return (headers, address) =>
    (name !== undefined && countryCode(String(headers[name] ?? ''))) ||
    (reader && address !== '' ? countryCode(byAddress(address) ?? '') : null);
}
