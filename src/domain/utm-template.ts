import { z } from 'zod';
import type { Data } from '../db/database.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { invalidField } from '../engine/rules/errors.ts';
import { foldCase, nameSchema, parseInput, type Unparsed } from '../engine/rules/input.ts';
import { MAX_URL, sendableAddress } from '../engine/rules/url.ts';
import type { UtmTemplate } from '../generated/sqlite/client.ts';
import type { Actor } from './access/actor.ts';
import {
  createOwned,
  createReaders,
  deleteOwned,
  type Kind,
  requireRoom,
  updateOwned,
} from './access/ownership.ts';
import { clearableText, type LinkInput, wrongUtmTemplate } from './link/fields.ts';
import { encodeTargets, parseTargetLists, type TargetLists } from './link/targeting.ts';
import { filledParameters, withParameters } from './link/utm.ts';
import { whereNameIsFree } from './name-and-color.ts';
import { mapOwnUrl, mapRuleUrls, type RuleColumns } from './rule/columns.ts';
import { NO_STORED_RULES } from './rule/parse.ts';
import { refusal } from './rules.ts';

export type { UtmTemplate };

export const MAX_UTM_TEMPLATES = 200;

const parameter = (about: string) =>
  clearableText(255, `${about}, at most 255 characters. \`{alias}\`, \`{space}\` and \`{date}\` are filled.`);
const parameters = {
  source: parameter('The value of `utm_source`: where visitors come from'),
  medium: parameter('The value of `utm_medium`: the kind of channel'),
  campaign: parameter('The value of `utm_campaign`'),
  term: parameter('The value of `utm_term`: the keyword of an ad'),
  content: parameter('The value of `utm_content`: what tells apart links in one place'),
};
const name = nameSchema(255).describe(
  'The name, 1 to 255 characters; unique in its account, whatever its case.',
);

export const createUtmTemplateInput = z.object({ name, ...parameters });
export const updateUtmTemplateInput = z.object({ name: name.optional(), ...parameters });

const kind = {
  kind: 'UTM_TEMPLATE',
  what: 'UTM template',
  table: 'UtmTemplate',
  fields: {},
  rows: (tx) => tx.prisma.utmTemplate,
} satisfies Kind<UtmTemplate, Partial<UtmTemplate>>;

export const {
  find: findUtmTemplate,
  findMany: findUtmTemplates,
  connection: utmTemplateConnection,
} = createReaders<UtmTemplate>(kind);

const taken = refusal('UTM_NAME_TAKEN');

/** @throws DomainError VALIDATION */
export async function createUtmTemplate(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createUtmTemplateInput>,
  now: Date,
): Promise<UtmTemplate> {
  const fields = parseInput(createUtmTemplateInput, input);
  const { accountId } = actor;
  const create = createOwned(db, kind, actor, now, fields, async (tx, common) => {
    const count = () => tx.prisma.utmTemplate.count({ where: { accountId } });
    const noRoom = () => invalidField('name', refusal('UTM_TEMPLATES', { max: MAX_UTM_TEMPLATES }));
    await requireRoom(tx, accountId, MAX_UTM_TEMPLATES, count, noRoom);
    return tx.prisma.utmTemplate.create({ data: { ...fields, nameKey: foldCase(fields.name), ...common } });
  });
  return whereNameIsFree(create, taken);
}

/**
 * Changes the given fields; null clears parameters. Links that have the parameters keep them as they are.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateUtmTemplate(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateUtmTemplateInput>,
  now: Date,
): Promise<UtmTemplate> {
  const fields = parseInput(updateUtmTemplateInput, input);
  const nameKey = fields.name && foldCase(fields.name);
  return whereNameIsFree(
    updateOwned(db, kind, actor, id, now, () => ({ ...fields, nameKey })),
    taken,
  );
}

/**
 * Deletes the template and returns its id. Links keep their parameters.
 * @throws DomainError NOT_FOUND
 */
export async function deleteUtmTemplate(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now);
}

/** The columns of a link that get parameters, and its alias; targets are absent if it has none. */
type Tagged = { readonly alias: string; readonly url: string } & {
  readonly [Column in keyof RuleColumns]?: string | undefined;
} & {
  readonly [Kind in keyof TargetLists]?: string | undefined;
};

/**
 * A function that adds the parameters of the input's template to a link, and returns the columns that they change; it throws
 * a DomainError VALIDATION if an address gets too long.
 * @param spaceId the space of the link
 */
export async function utmFor(
  db: Data,
  { accountId }: Pick<Actor, 'accountId'>,
  { utmTemplateId, utmOnTargets }: Pick<LinkInput, 'utmTemplateId' | 'utmOnTargets'>,
  spaceId: number | null | undefined,
  now: Date,
) {
  if (utmTemplateId == null) return () => ({});
  const template = await db.prisma.utmTemplate.findUnique({ where: { id: utmTemplateId, accountId } });
  if (template === null) throw invalidField('utmTemplateId', wrongUtmTemplate);
  const space =
    spaceId == null ? null : await db.prisma.space.findUnique({ where: { id: spaceId, accountId } });
  const date = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  return ({ alias, url: before, rules = NO_STORED_RULES, ruleTests = '[]', ...lists }: Tagged) => {
    const added = filledParameters(template, { alias, space: space?.name ?? '', date });
    const add = (address: string): string => {
      const whole = withParameters(address, added);
      if (whole === address) return address;
      const { data } = sendableAddress.safeParse(whole);
      if (data === undefined) throw invalidField('utmTemplateId', refusal('UTM_URL', { max: MAX_URL }));
      return data;
    };
    const url = add(before);
    const columns = { url, urlKey: foldCase(url) };
    if (utmOnTargets === false)
      return ruleTests === '[]' || url === before
        ? columns
        : { ...columns, ruleTests: mapOwnUrl({ rules, ruleTests }, before, url) };
    const { countries = '[]', platforms = '[]', languages = '[]', rotation = '[]' } = lists;
    const targets = parseTargetLists({ countries, platforms, languages, rotation });
    const each = <Target extends { url: string }>(list: Target[]) =>
      list.map((target) => ({ ...target, url: add(target.url) }));
    return {
      ...columns,
      ...((rules !== NO_STORED_RULES || ruleTests !== '[]') && mapRuleUrls({ rules, ruleTests }, add)),
      ...encodeTargets({
        countries: each(targets.countries),
        platforms: each(targets.platforms),
        languages: each(targets.languages),
        rotation: targets.rotation.map(add),
      }),
    };
  };
}
