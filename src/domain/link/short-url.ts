import type { SelectedLink } from '../../db/links.ts';
import { isServedAt } from '../../db/reading/conditions.ts';
import type { LinkSelect } from '../../db/reading/link-selection.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import type { Actor } from '../access/actor.ts';
import { trimPasted } from '../input.ts';
import type { Services } from '../services.ts';
import { namesServing, normalizeHost } from '../url.ts';
import { aliasOfPath } from './alias.ts';
import { linksWhere } from './list.ts';

export function shortUrlOf(
  { scheme }: Pick<Services, 'scheme'>,
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${alias}`;
}

/** The longest short URL that is parsed, in characters, without its query and fragment; an alias has at most 255. */
const MAX_SHORT_URL = 4_096;

/** The host and the alias of a short URL, with or without its scheme; null if it is not one. */
function partsOf(text: string): { host: string; alias: string } | null {
  const trimmed = trimPasted(text).replace(/[?#].*$/s, '');
  if (trimmed.length > MAX_SHORT_URL) return null;
  const url = URL.parse(
    /^([a-z][a-z\d+.-]*:)?\/\//i.test(trimmed) ? trimmed.replace(/^\/\//, 'http://') : `http://${trimmed}`,
  );
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const [host, alias] = [normalizeHost(url.host), aliasOfPath(url.pathname)];
  return host === null || alias === '' ? null : { host, alias };
}

/** The account's own link that visitors get at a short URL; scheme, query and fragment are ignored. Null if there is none. */
export async function findLinkByShortUrl(
  lists: ListReader,
  actor: Actor,
  text: string,
  select: LinkSelect,
): Promise<SelectedLink | null> {
  const parts = partsOf(text);
  if (parts === null) return null;
  const { host, alias } = parts;
  const condition = isServedAt(host, namesServing(host), alias);
  const [link] = await linksWhere(lists, actor, condition, 1, select);
  return link ?? null;
}
