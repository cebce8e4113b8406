import type { Data } from '../../db/database.ts';
import { type FoundReferences, findReferences, placeKey } from '../../db/reading/references.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import type { FieldError } from '../../engine/rules/errors.ts';
import { fieldError } from '../../engine/rules/errors.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import { hostOf, isSendable, tooLongAsSent } from '../../engine/rules/url.ts';
import { encodeBidi } from '../../engine/tools/bidirectional.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { ruleColumns, ruleErrors, testErrors } from '../rule/columns.ts';
import { NO_STORED_RULES } from '../rule/parse.ts';
import { because, refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { namesServing } from '../short-domain/host.ts';
import { newPlace } from './alias.ts';
import { hasOtherLetters } from './alias-grammar.ts';
import { hostBlocked } from './blocklists.ts';
import { type LinkInput, resolveTime, wrongDomain, wrongSpace, wrongUtmTemplate } from './fields.ts';
import { listAddresses } from './targeting.ts';

/** The error of an alias that another link has on the domain. */
export const takenAlias = fieldError(['alias'], refusal('ALIAS_TAKEN'));
/** The error of an external id that another link of the account has. */
export const takenExternalId = fieldError(['externalId'], refusal('EXTERNAL_ID_TAKEN'));
export const ownDomain = refusal('SHORT_DOMAIN');
const aliasReserved = refusal('ALIAS_RESERVED');
const notLatin = refusal('ALIAS_LATIN');

/** Every address in the input, with its path. */
function addressesIn({
  url,
  expiration,
  targeting,
  rules = [],
}: LinkInput): { path: string[]; url: string }[] {
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
    ...rules.flatMap(({ to }, index) =>
      to.map((target, at) => ({ path: ['rules', String(index), 'to', String(at), 'url'], url: target.url })),
    ),
  ];
}

/** The addresses in the input that the link does not have yet. */
function addedAddresses(input: LinkInput, link: Link | null): ReturnType<typeof addressesIn> {
  if (link === null) return addressesIn(input);
  const known = new Set([...listAddresses(link)].map(encodeBidi));
  return addressesIn(input).filter(({ url }) => !known.has(url));
}

/** The names of domains to which the addresses would lead. */
function listDomainNames(addresses: readonly { url: string }[]): string[] {
  return [...new Set(addresses.flatMap(({ url }) => namesServing(hostOf(url))))];
}

/** The names of domains to which the addresses in the input would lead. */
export function domainNamesIn(input: LinkInput): string[] {
  return listDomainNames(addressesIn(input));
}

const NO_REFERENCES = {
  ...{ domainIds: [], spaceIds: [], pixelIds: [], tagIds: [], utmTemplateIds: [], aliases: [], places: [] },
  ...{ aliasKeys: [], externalIds: [] },
};

/** The errors of destinations and rules that are asked about and not saved, but for tests that fail. */
export async function findDraftErrors(
  db: Data,
  { accountId }: Pick<Writer, 'accountId'>,
  services: Pick<Services, 'lists' | 'isOtherName'>,
  input: Pick<LinkInput, 'url' | 'targeting' | 'rules' | 'ruleTests'>,
  link: Link | null,
  now: Date,
): Promise<FieldError[]> {
  const addresses = addedAddresses(input, link);
  const { hosts } = await findReferences(db, {
    ...NO_REFERENCES,
    ...{ accountId, hosts: listDomainNames(addresses) },
  });
  return [...addressErrors(addresses, hosts, services), ...ruleErrors(input, link, now)];
}

/** The errors of addresses of an input, given the hosts that are short domains of the service. */
function addressErrors(
  addresses: ReturnType<typeof addressesIn>,
  hosts: ReadonlySet<string>,
  { lists, isOtherName }: Pick<Services, 'lists' | 'isOtherName'>,
): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (path: string[], refused: Refusal) => errors.push(fieldError(path, refused));
  for (const { path, url } of addresses) if (!isSendable(url)) refuse(path, tooLongAsSent);
  for (const { path, url } of addresses)
    if (namesServing(hostOf(url)).some((name) => hosts.has(name)) || isOtherName(url))
      refuse(path, ownDomain);
  for (const { path, url } of addresses) if (lists.blocksAddress(url)) refuse(path, hostBlocked);
  return errors;
}

/** All errors of the input that need the database. */
export async function findInputErrors(
  db: Data,
  actor: Writer,
  services: Pick<Services, 'lists' | 'isOtherName' | 'sharesScripts'>,
  { input, domainId, link, now, isRestored = false }: Omit<Checked, 'isTaken'>,
): Promise<FieldError[]> {
  const {
    alias,
    externalId,
    spaceId,
    pixelIds = [],
    tagIds = [],
    addTagIds = [],
    removeTagIds = [],
    utmTemplateId,
  } = input;
  const found = await findReferences(db, {
    accountId: actor.accountId,
    // The domain of a link never changes.
    domainIds: link === null || alias != null ? [domainId] : [],
    spaceIds: spaceId == null ? [] : [spaceId],
    pixelIds,
    tagIds: [...tagIds, ...addTagIds, ...removeTagIds],
    utmTemplateIds: utmTemplateId == null ? [] : [utmTemplateId],
    hosts: listDomainNames(addedAddresses(input, link)),
    aliases: alias == null ? [] : [alias],
    places: alias == null || alias === link?.alias ? [] : [newPlace(domainId, alias)],
    aliasKeys: [],
    externalIds: externalId == null ? [] : [externalId],
  });
  const isTaken = found.domainIds.has(domainId) && found.aliasHolders.some(({ id }) => id !== link?.id);
  const errors = inputErrors(found, services, { input, domainId, link, isTaken, now, isRestored });
  if ([...found.externalIds.values()].some((id) => id !== link?.id)) errors.push(takenExternalId);
  return errors;
}

interface Checked {
  readonly input: LinkInput;
  readonly domainId: number;
  /** The link to change; null for a new link. */
  readonly link: Link | null;
  /** True if another link has the alias on the domain. */
  readonly isTaken: boolean;
  readonly now: Date;
  /** True for a deleted link, which may have the letters that its alias had. */
  readonly isRestored?: boolean;
}

/** The errors of the input, given the results of the look-up. */
export function inputErrors(
  found: FoundReferences,
  { lists, isOtherName, sharesScripts }: Pick<Services, 'lists' | 'isOtherName' | 'sharesScripts'>,
  { input, domainId, link, isTaken, now, isRestored = false }: Checked,
): FieldError[] {
  const { alias, spaceId, utmTemplateId } = input;
  const errors = addressErrors(addedAddresses(input, link), found.hosts, { lists, isOtherName });
  const refuse = (path: string[], refused: Refusal) => errors.push(fieldError(path, refused));
  if (link === null && !found.domainIds.has(domainId)) refuse(['domainId'], wrongDomain);
  const newAlias = alias == null || alias === link?.alias ? null : alias;
  if (isTaken || (newAlias !== null && found.nearOthers.has(placeKey({ domainId, alias: newAlias }))))
    errors.push(takenAlias);
  else if (newAlias !== null && lists.reserves(newAlias)) refuse(['alias'], aliasReserved);
  else if (
    newAlias !== null &&
    !isRestored &&
    found.sharedDomainIds.has(domainId) &&
    !sharesScripts &&
    hasOtherLetters(newAlias)
  )
    refuse(['alias'], notLatin);
  if (spaceId != null && !found.spaceIds.has(spaceId)) refuse(['spaceId'], wrongSpace);
  if (utmTemplateId != null && !found.utmTemplateIds.has(utmTemplateId))
    refuse(['utmTemplateId'], wrongUtmTemplate);
  for (const name of ['pixelIds', 'tagIds', 'addTagIds', 'removeTagIds'] as const) {
    const [what, known] =
      name === 'pixelIds' ? (['PIXEL', found.pixelIds] as const) : (['TAG', found.tagIds] as const);
    const unknown = unknownIds(what, input[name] ?? [], known);
    if (unknown !== null) refuse([name], unknown);
  }
  errors.push(...startErrors(input, link));
  const ofRules = ruleErrors(input, link, now);
  errors.push(...ofRules);
  // A template changes URLs before tests are checked.
  if (ofRules.length === 0 && utmTemplateId == null) errors.push(...failingTests(input, link, now));
  return errors;
}

/** The error of a link that would begin only when it has expired: of its start, or of its expiry if only that is given. */
export function startErrors(
  { startsAt: start, expiration }: LinkInput,
  link: Pick<Link, 'startsAt' | 'expiresAt'> | null,
): FieldError[] {
  if (start == null && expiration?.at == null) return [];
  const stored = link ?? { startsAt: null, expiresAt: null };
  const { startsAt = stored.startsAt } = { startsAt: resolveTime(stored.startsAt, start) };
  const { expiresAt = stored.expiresAt } = { expiresAt: resolveTime(stored.expiresAt, expiration?.at) };
  if (startsAt === null || expiresAt === null || startsAt < expiresAt) return [];
  return [fieldError(start == null ? ['expiration', 'at'] : ['startsAt'], refusal('ENDS_BEFORE_START'))];
}

/** The errors of tests that fail after the change. */
function failingTests(input: LinkInput, link: Link | null, now: Date): FieldError[] {
  const { rules = link?.rules ?? NO_STORED_RULES, ruleTests = link?.ruleTests ?? '[]' } = ruleColumns(
    input,
    link,
    now,
  );
  return testErrors(input, { url: input.url ?? link?.url ?? '', rules, ruleTests }, link);
}

/** The refusal of ids that are not known; null if all are. */
export function unknownIds(
  what: 'PIXEL' | 'TAG',
  given: readonly number[],
  known: ReadonlySet<number>,
): Refusal | null {
  const unknown = [...new Set(given)].filter((id) => !known.has(id));
  const [id] = unknown;
  if (id === undefined) return null;
  const many = unknown.length > 1;
  const why = many
    ? refusal(`${what}S_UNKNOWN`, { ids: unknown.join(', ') })
    : refusal(`${what}_UNKNOWN`, { id });
  return because(why, `UNKNOWN_${what}`, { id: unknown });
}
