import {
  type CreateLinkInput,
  type LinkFragment,
  type LinkRuleInput,
  ruleInput,
  ruleTestInput,
} from '@linkspace/client';
import type { Context } from '../context.ts';
import { CliError, describeRefusal, EXIT, type Refusal } from '../errors.ts';
import { inBatches } from './batches.ts';
import { type PlannedCreate, type PlannedUpdate, placeOf } from './changes.ts';
import { type Entry, type FileErrors, lineOf } from './file.ts';
import { keptUrl } from './kept.ts';

/** Another run has created links of the file since they were listed. */
export class Overtaken extends CliError {}

/** True if the external id of a new link is taken: another run has created the link. */
export function isTakenId({ fields = [] }: Refusal): boolean {
  return fields.some(({ path }) => path[0] === 'externalId');
}

/** A change as a new link, which the service can check. */
interface Checked {
  readonly key: string;
  readonly entry: Entry;
  readonly input: CreateLinkInput;
  /** Returns true for an error that the change would have, too. */
  readonly concerns: (path: readonly string[]) => boolean;
}

/** A rule of a link as one of a new link, which has no ids. */
function newRule(rule: LinkFragment['rules'][number]): LinkRuleInput {
  const { id: _, to, ...others } = ruleInput(rule);
  return { ...others, to: to.map(({ id: _, ...target }) => target) };
}

/** Returns all addresses to which a link leads. */
function addressesOf({ url, expiration, targeting, rules }: LinkFragment): ReadonlySet<string> {
  const { countries, platforms, languages, rotation } = targeting;
  const targets = [...countries, ...platforms, ...languages, ...rules.flatMap(({ to }) => to)];
  return new Set([url, expiration.url ?? url, ...rotation, ...targets.map((target) => target.url)]);
}

/** Returns the value at a path of an input. */
function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    input,
  );
}

/**
 * Returns a change as a new link with its fields. Rules and their tests are checked together, so the link's own complete them.
 * Errors are those of the change if it sets the field, and the link does not have the address yet.
 */
function asNewLink({ key, entry, link, input }: PlannedUpdate): Checked {
  const { rules, ruleTests, startsAt = link.startsAt, expiration } = input;
  const hasRules = rules !== undefined || ruleTests !== undefined;
  const hasTimes = input.startsAt !== undefined || expiration !== undefined;
  const whole: CreateLinkInput = {
    ...input,
    ...(hasTimes && {
      startsAt,
      expiration: expiration === null ? null : { at: link.expiration.at, ...expiration },
    }),
    url: input.url ?? link.url,
    domainId: link.domain.id,
    ...(hasRules && {
      rules: rules === undefined ? link.rules.map(newRule) : rules,
      ruleTests: ruleTests === undefined ? link.ruleTests.map(ruleTestInput) : ruleTests,
    }),
  };
  const known = addressesOf(link);
  const concerns = (path: readonly string[]): boolean => {
    const [field = ''] = path;
    if ((field === 'ruleTests' && hasRules) || (field === 'startsAt' && hasTimes)) return true;
    const value = valueAt(input, path);
    return Object.hasOwn(input, field) && !(typeof value === 'string' && known.has(keptUrl(value)));
  };
  return { key, entry, input: whole, concerns };
}

/**
 * Has the service check changes and new links, so that a file with a wrong one changes nothing.
 * @param freed the places of aliases that links of the file give up
 * @throws Overtaken
 */
export async function checkChanges(
  { client, io }: Context,
  changes: readonly (PlannedUpdate | PlannedCreate)[],
  freed: ReadonlySet<string>,
  errors: FileErrors,
): Promise<void> {
  const checked = changes.map((change): Checked => {
    const one = change.action === 'update' ? asNewLink(change) : { ...change, concerns: () => true };
    const { alias, ...others } = one.input;
    // The alias is taken only until the links of the file that have it are changed.
    return alias != null && freed.has(placeOf(others.domainId, alias)) ? { ...one, input: others } : one;
  });
  for (const batch of inBatches(checked, ({ input }) => input)) {
    const refusals = await client.checkLinks(
      batch.map(({ input }) => input),
      { signal: io.signal },
    );
    for (const [at, { key, entry, concerns }] of batch.entries()) {
      const refusal = refusals[at];
      if (!refusal) continue;
      if (isTakenId(refusal))
        throw new Overtaken(
          `${key} was created by another run meanwhile. Apply the file again.`,
          EXIT.conflict,
        );
      for (const field of refusal.fields) {
        if (!concerns(field.path)) continue;
        const words = describeRefusal({ ...refusal, fields: [field] }).replace(/\.$/, '');
        errors.add(lineOf(entry, field.path[0]), `${key}: ${words}`);
      }
    }
  }
}
