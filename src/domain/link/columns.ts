import type { Link } from '../../generated/sqlite/client.ts';
import type { Writer } from '../access/actor.ts';
import type { FieldNames } from '../change/change.ts';
import { foldCase } from '../fold.ts';
import { ofAccount } from '../password.ts';
import type { Services } from '../services.ts';
import type { LinkInput } from './input.ts';
import { encodeTargets } from './targeting.ts';

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
    expiresAt: expiration?.at === null ? null : expiration?.at?.at,
    expirationClicks: expiration?.clicks,
    targetType: targeting?.type,
    ...encodeTargets(targeting ?? {}),
  };
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
