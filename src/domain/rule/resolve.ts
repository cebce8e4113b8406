import { type FieldError, fieldError, MAX_FIELD_ERRORS } from '../../engine/rules/errors.ts';
import { refusal } from '../rules.ts';
import type { GivenRule, GivenTest } from './input.ts';
import { MAX_RULES_BYTES } from './limits.ts';
import { NO_STORED_RULES } from './parse.ts';
import type { StoredRule, StoredRules, StoredTarget, StoredTest } from './stored.ts';

const DUPLICATE = refusal('DUPLICATE');
const NAME_TAKEN = refusal('RULE_NAME_TAKEN');
const UNKNOWN_ID = refusal('RULE_ID');

/** A stored rule or target. */
interface Named {
  readonly id: number;
  readonly name: string;
}
interface GivenNamed {
  readonly id?: number | null | undefined;
  readonly name?: string | null | undefined;
}

/** A counter of ids. */
interface Counter {
  next: number;
}

/**
 * Finds the stored one that each of the given ones keeps: by its id, else by its name.
 * @param stored null where none can be kept, and ids are made anew
 */
function matchStored<Stored extends Named>(
  given: readonly GivenNamed[],
  stored: readonly Stored[] | null,
  path: readonly string[],
  errors: FieldError[],
): (Stored | undefined)[] {
  const kept = new Set<Stored>();
  const found = given.map(({ id }, index) => {
    if (id == null || stored === null) return undefined;
    const one = stored.find((known) => known.id === id);
    if (one === undefined) errors.push(fieldError([...path, String(index), 'id'], UNKNOWN_ID));
    else if (kept.has(one)) errors.push(fieldError([...path, String(index), 'id'], DUPLICATE));
    else kept.add(one);
    return one;
  });
  return given.map(({ id, name }, index) => {
    if (found[index] !== undefined || id != null || name == null) return found[index];
    const one = stored?.find((known) => known.name === name && !kept.has(known));
    if (one !== undefined) kept.add(one);
    return one;
  });
}

/** The ids and names of a list: kept ones, new ids from the counter, and names by ids where none are given. */
function nameAll<Stored extends Named>(
  what: 'Rule' | 'Target',
  given: readonly GivenNamed[],
  stored: readonly Stored[] | null,
  { counter, path, errors }: Resolving,
): (Named & { readonly before: Stored | undefined })[] {
  const names = new Set(given.flatMap(({ name }) => name ?? []));
  const before = matchStored(given, stored, path, errors);
  const all = given.map(({ name }, index) => {
    const known = before[index];
    // A name by an id that another one has already belongs to no id.
    while (known === undefined && name == null && names.has(`${what} ${counter.next}`)) counter.next++;
    const id = known?.id ?? counter.next++;
    return { id, name: name ?? `${what} ${id}`, before: known };
  });
  const seen = new Set(all.filter((_, index) => given[index]?.name == null).map(({ name }) => name));
  all.forEach(({ name }, index) => {
    if (given[index]?.name == null) return;
    if (seen.has(name)) errors.push(fieldError([...path, String(index), 'name'], NAME_TAKEN));
    seen.add(name);
  });
  return all;
}

interface Resolving {
  readonly counter: Counter;
  readonly path: readonly string[];
  readonly errors: FieldError[];
}

export interface Resolved {
  readonly rules: StoredRules;
  readonly errors: readonly FieldError[];
}

/**
 * The rules with their ids and names.
 * @param stored the rules that the link has; null for a new link, whose ids are made anew
 */
export function resolveRules(given: readonly GivenRule[], stored: StoredRules | null): Resolved {
  const counter: Counter = { next: stored?.next ?? 1 };
  const errors: FieldError[] = [];
  const named = nameAll('Rule', given, stored?.rules ?? null, { counter, path: ['rules'], errors });
  const rules = given.map(({ when, to }, index): StoredRule => {
    const { id = 0, name = '', before } = named[index] ?? {};
    const path = ['rules', String(index), 'to'];
    const targets = nameAll('Target', to, stored && (before?.to ?? []), { counter, path, errors });
    return {
      id,
      name,
      when,
      to: to.map(({ url, weight }, at): StoredTarget => {
        const { id: targetId = 0, name: targetName = '' } = targets[at] ?? {};
        return { id: targetId, name: targetName, url, weight };
      }),
    };
  });
  return { rules: { next: counter.next, rules }, errors: errors.slice(0, MAX_FIELD_ERRORS) };
}

/** A test but for its time. */
const textOf = ({ visitor: { at: _, ...visitor }, expect }: GivenTest): string =>
  JSON.stringify([visitor, expect]);

/** The tests, each with a time: where none is given, the time that it has already, else that of saving. */
export function resolveTests(
  given: readonly GivenTest[],
  stored: readonly StoredTest[],
  now: Date,
): StoredTest[] {
  const known = stored.map((test) => ({ text: textOf(test), at: test.visitor.at }));
  return given.map((test, index) => {
    const { visitor, expect } = test;
    const isSame = (one: { text: string } | undefined) => one?.text === textOf(test);
    const before = isSame(known[index]) ? known[index] : known.find(isSame);
    return { visitor: { at: before?.at ?? now.toISOString(), ...visitor }, expect };
  });
}

/** The error of a column that is too large; null for one that is not. */
export function sizeError(column: 'rules' | 'ruleTests', text: string): FieldError | null {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_RULES_BYTES) return null;
  return fieldError([column], refusal('RULES_SIZE', { max: MAX_RULES_BYTES, length: bytes }));
}

/** The rules as their column stores them. */
export function encodeRules(rules: StoredRules): string {
  const isUnused = rules.next === 1 && rules.rules.length === 0;
  return isUnused ? NO_STORED_RULES : JSON.stringify(rules);
}
