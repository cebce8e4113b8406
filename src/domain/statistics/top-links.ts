import { z } from 'zod';
import type { SelectedLink } from '../../db/links.ts';
import type { AccountReader } from '../../db/reading/account-reader.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import type { Scope } from '../../db/statistics/scope.ts';
import { choiceSchema, integerSchema, parseInput, type Unparsed } from '../../engine/rules/input.ts';
import type { Actor } from '../access/actor.ts';
import { findLinks } from '../link/find-links.ts';
import { dimensionValues, statisticsDimensions, valueInput } from './dimension.ts';
import { type PeriodInput, parsePeriod } from './period.ts';
import { MAX_TOP } from './statistics.ts';

export const topLinksBy = z.object({
  dimension: choiceSchema(statisticsDimensions)
    .meta({ title: 'StatisticsDimension' })
    .describe('The dimension.'),
  value: valueInput,
});

const topLinksInput = z.object({ first: integerSchema(0, MAX_TOP), by: topLinksBy.nullish() });

/** A link with its clicks in a period. */
export interface TopLink {
  readonly link: SelectedLink;
  readonly clicks: number;
}

/**
 * The links of a space or an account with the most clicks of a period, or of those with one value.
 * @throws DomainError VALIDATION
 */
export async function topLinks(
  lists: AccountReader,
  actor: Actor,
  owner: { readonly scope: Exclude<Scope, 'link'>; readonly id: number },
  input: PeriodInput & Unparsed<typeof topLinksInput>,
  now: Date,
  select: LinkSelect,
): Promise<TopLink[]> {
  const days = parsePeriod(input, now);
  const { first, by } = parseInput(topLinksInput, input);
  if (first === 0) return [];
  const asked = by ? { ...dimensionValues[by.dimension], value: by.value ?? null } : null;
  const rows = await lists.statistics.topLinks(owner.scope, days, owner.id, {
    accountId: actor.accountId,
    by: asked,
    limit: first,
  });
  if (rows.length === 0) return [];
  const links = await findLinks(
    lists,
    actor,
    rows.map(({ linkId }) => linkId),
    select,
  );
  const byId = new Map(links.map((link) => [link.id, link]));
  return rows.flatMap(({ linkId, clicks }) => {
    const link = byId.get(linkId);
    return link ? { link, clicks } : [];
  });
}
