import type { NewLink } from '../../db/links.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { Writer } from '../access/actor.ts';
import { foldCase } from '../case-folding.ts';
import { type FieldNames, fieldsSet } from '../change/change.ts';
import { ofAccount } from '../password.ts';
import type { Services } from '../services.ts';
import { type LinkInput, MIDNIGHT, type NewLinkInput } from './input.ts';
import { encodeTargets } from './targeting.ts';

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

/** When a link expires after a change. A time without seconds keeps a stored time within that minute, with its seconds. */
export function expiryOf(
  stored: Date | null,
  given: NonNullable<LinkInput['expiration']>['at'],
): Date | null | undefined {
  const startOf = (time: Date, length: number) => Math.floor(time.getTime() / length) * length;
  if (given === MIDNIGHT) return stored && new Date(startOf(stored, DAY_MS));
  if (given == null) return given;
  const isKept =
    given.toTheMinute && stored !== null && startOf(stored, MINUTE_MS) === startOf(given.at, MINUTE_MS);
  return isKept ? stored : given.at;
}

/**
 * The columns that the input sets; absent fields are undefined. Fields not handled here have a column of the same name.
 * @param stored the link that is changed, if any: a password that it has already keeps its hash
 */
export async function columnsOf(input: LinkInput, services: Services, actor: Writer, stored?: Link) {
  const { alias, expiration, targeting, domainId: _domainId, pixelIds: _pixelIds, ...columns } = input;
  const hash = async (name: 'password' | 'privacyPassword') => {
    const [given, before] = [input[name], stored?.[name]];
    if (!given) return given;
    const owner = ofAccount(actor);
    const isSame = before && (await services.verifyPassword(owner, given, before));
    return isSame ? before : services.hashPassword(owner, given);
  };
  const [password, privacyPassword] = await Promise.all([hash('password'), hash('privacyPassword')]);
  return {
    ...columns,
    urlKey: input.url && foldCase(input.url),
    ...(alias ? aliasColumns(alias) : {}),
    titleKey: input.title && foldCase(input.title),
    password,
    privacyPassword,
    expirationUrl: expiration?.url,
    expiresAt: expiryOf(stored?.expiresAt ?? null, expiration?.at),
    expirationClicks: expiration?.clicks,
    targetType: targeting?.type,
    ...encodeTargets(targeting ?? {}),
  };
}

/** The columns of a new link, besides its alias. */
export async function newLinkColumns(
  input: NewLinkInput,
  domainId: number,
  services: Services,
  writer: Writer,
  times: { readonly createdAt: Date; readonly updatedAt: Date },
) {
  const { url } = input;
  const columns = await columnsOf(input, services, writer);
  return { ...columns, url, urlKey: foldCase(url), accountId: writer.accountId, domainId, ...times };
}

/** The fields that a new link has, for the log of changes. */
export function newLinkFields({ row, pixelIds }: NewLink): string[] {
  return fieldsSet({ ...row, ...(pixelIds.length > 0 && { pixels: pixelIds }) }, fieldNames);
}

export function aliasColumns(alias: string) {
  return { alias, aliasKey: foldCase(alias) };
}

/** The schema's names of a link's columns, if they differ. */
export const fieldNames: FieldNames = {
  domainId: 'domain',
  spaceId: 'space',
  expirationUrl: 'expiration',
  expiresAt: 'expiration',
  expirationClicks: 'expiration',
  targetType: 'targeting',
  countries: 'targeting',
  platforms: 'targeting',
  languages: 'targeting',
  rotation: 'targeting',
};
