import type { LinkRow, Wanted } from '../../db/reading/link-rows.ts';
import { sql } from '../../db/reading/list.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import type { Actor } from '../access/actor.ts';
import { normalizeHost, withoutPort } from '../url.ts';
import { aliasOfPath } from './alias.ts';
import { linksWhere } from './list.ts';

/** How much of a short URL is looked at, in characters; an alias has 255 at most, and what follows it does not count. */
const LONGEST = 4_096;

/** The host and the alias of a short URL, with or without its scheme; null where it can be none. */
function partsOf(text: string): { host: string; alias: string } | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return null;
  const url = URL.parse(
    /^([a-z][a-z\d+.-]*:)?\/\//i.test(trimmed) ? trimmed.replace(/^\/\//, 'http://') : `http://${trimmed}`,
  );
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const [host, alias] = [normalizeHost(url.host), aliasOfPath(url.pathname)];
  return host === null || alias === '' ? null : { host, alias };
}

/** The account's own link that visitors find at a short URL, whatever its scheme, query and fragment; null where it has none. */
export async function findLinkByShortUrl(
  lists: ListReader,
  actor: Actor,
  text: string,
  wanted: Wanted = null,
): Promise<LinkRow | null> {
  const parts = partsOf(text);
  if (parts === null) return null;
  const { host, alias } = parts;
  // As visitors find it: a host that is no domain with its port may be one without.
  const domain = sql`(SELECT "id" FROM "Domain" WHERE "name" IN (${host}, ${withoutPort(host)})
    ORDER BY "name" = ${host} DESC LIMIT 1)`;
  const condition = sql`"domainId" = ${domain} AND "alias" = ${alias}`;
  const [link] = await linksWhere(lists, actor, condition, 1, wanted);
  return link ?? null;
}
