import type { Db } from '../db/client.ts';
import { findReferences } from '../db/references.ts';
import type { Actor } from './actor.ts';
import type { FieldError } from './errors.ts';
import { type LinkInput, wrongDomain, wrongPixel, wrongSpace } from './link-input.ts';
import { hostOf } from './url.ts';

export const aliasTaken = 'is already taken on this domain';

/** Every address that the input names, with its place in it. */
function addressesIn({ url, expiration, targeting }: LinkInput): { path: string[]; url: string }[] {
  const { type: _, ...lists } = targeting ?? {};
  const targets = Object.entries(lists).flatMap(([kind, list]) =>
    (list ?? []).map((target, index) => {
      const path = ['targeting', kind, String(index)];
      return typeof target === 'string' ? { path, url: target } : { path: [...path, 'url'], url: target.url };
    }),
  );
  return [
    ...(url === undefined ? [] : [{ path: ['url'], url }]),
    ...(expiration?.url ? [{ path: ['expiration', 'url'], url: expiration.url }] : []),
    ...targets,
  ];
}

/**
 * Everything that the database has against the input, at once.
 * @param link what is to be changed, or a new link's domain
 */
export async function refusalsOf(
  db: Db,
  actor: Actor,
  input: LinkInput,
  link: { id: number | null; domainId: number },
): Promise<FieldError[]> {
  const { alias, spaceId, pixelIds = [] } = input;
  const addresses = addressesIn(input).map((address) => ({ ...address, host: hostOf(address.url) }));
  const found = await findReferences(db, {
    accountId: actor.accountId,
    domainId: link.domainId,
    spaceId: spaceId ?? null,
    pixelIds,
    hosts: [...new Set(addresses.map(({ host }) => host))],
    alias: alias ?? null,
    linkId: link.id,
  });
  const refusals: FieldError[] = [];
  const refuse = (path: string[], message: string) => refusals.push({ path, messages: [message] });
  for (const { path, host } of addresses)
    if (found.hosts.has(host)) refuse(path, 'may not lead to a short domain of this service');
  if (!found.domain && link.id === null) refuse(['domainId'], wrongDomain);
  if (found.alias) refuse(['alias'], aliasTaken);
  if (spaceId != null && !found.space) refuse(['spaceId'], wrongSpace);
  const unknown = pixelIds.filter((id) => !found.pixelIds.has(id));
  if (unknown.length > 0) refuse(['pixelIds'], `${wrongPixel}, which ${unknown.join(', ')} is not`);
  return refusals;
}
