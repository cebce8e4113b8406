import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { ChangeRowFragment, LinkWholeFragment } from '../generated/documents.ts';
import { isOwn, useChangesOfLink } from './changes.ts';
import { changedFields, type Saved } from './edit-state.ts';
import { fieldsOf, type LinkFields } from './link-fields.ts';
import { type Seen, seen } from './seen.ts';
import type { Session } from './session.ts';

/** How many saves of a link are remembered. */
const MOST_SAVES = 20;
/** By how much a change may be logged before the time that the link has of it, in milliseconds. */
const TOLERANCE = 500;

/** The fields of the log of changes, where they are not called as in the form. */
const logged: Readonly<Record<string, string>> = {
  ...{ spaceId: 'space', domainId: 'domain', pixelIds: 'pixels', tagIds: 'tags' },
  ...{ expiresAt: 'expiration', expiresAfter: 'expiration', expiredUrl: 'expiration' },
  ...{ targetType: 'targeting', targets: 'targeting' },
};

const hasField = ({ fields }: ChangeRowFragment, name: string): boolean =>
  fields.includes(logged[name] ?? name);

/** What others changed of a link since somebody here saw it. */
export interface Theirs {
  readonly names: readonly string[];
  readonly was: LinkFields;
  /** The newest change of each field. */
  readonly changes: readonly ChangeRowFragment[];
  /** Whether it was changed before somebody came here. */
  readonly isOld: boolean;
}

/** What of this is the change of the log. */
export function savedAs(change: ChangeRowFragment, all: readonly Saved[]): Saved | undefined {
  const isOf = ({ before, after }: Saved) =>
    Object.keys(changedFields(after, before)).some((name) => hasField(change, name));
  return all.find((saved) => saved.at === change.at && isOf(saved));
}

interface Found {
  readonly field: keyof LinkFields;
  /** The newest of the field. */
  readonly change: ChangeRowFragment;
}

/**
 * What others changed, as something that was saved, by each change. A field whose change before was not seen here is left out:
 * its value between the two is not known.
 */
function savedBy(
  found: readonly Found[],
  log: readonly ChangeRowFragment[],
  { known, saves }: Pick<Seen, 'known' | 'saves'>,
  now: LinkFields,
): Saved[] {
  const beforeOf = ({ field, change }: Found): Partial<LinkFields> | null => {
    const before = log.slice(log.indexOf(change) + 1).find((one) => hasField(one, field));
    if (!before) return { [field]: known[field] };
    const seen = savedAs(before, saves);
    return seen && field in changedFields(seen.after, seen.before) ? { [field]: seen.after[field] } : null;
  };
  return [...new Set(found.map(({ change }) => change))].flatMap((change) => {
    const own = found.filter((one) => one.change === change).map((one) => ({ one, before: beforeOf(one) }));
    const seen = own.filter(({ before }) => before !== null);
    const before: LinkFields = Object.assign({ ...known }, ...seen.map((one) => one.before));
    const after: LinkFields = Object.assign(
      { ...before },
      ...seen.map(({ one: { field } }) => ({ [field]: now[field] })),
    );
    return seen.length > 0 ? [{ before, after, at: change.at, isPast: true }] : [];
  });
}

export interface LinkMemory {
  readonly saves: readonly Saved[];
  readonly theirs: Theirs | null;
  /** Takes fields of the link for known, and keeps what was saved. */
  learn(link: LinkWholeFragment, fields: Partial<LinkFields>, ...saved: readonly Saved[]): void;
}

/** What this tab remembers of a link, and what that says of how it is now. */
export function useLinkMemory(link: LinkWholeFragment, session: Session): LinkMemory {
  const name = `${session.viewer.user?.id} ${session.accountId} ${link.id}`;
  const memory = useSyncExternalStore(seen.subscribe, () => seen.get(name));
  const [arrivedAt] = useState(link.updatedAt);
  const now = fieldsOf(link);
  const { known, since, saves } = memory ?? { known: now, since: link.updatedAt, saves: [] };
  const differing = Object.keys(changedFields(now, known)) as (keyof LinkFields)[]; // The type says so.
  const log = useChangesOfLink(link.id, since, differing.length === 0);
  // Before the log has the last change, it may name those of an earlier one.
  const isThere = log[0] && Date.parse(log[0].at) > Date.parse(link.updatedAt) - TOLERANCE;
  const found = isThere
    ? differing.flatMap((field) => {
        const change = log.find((one) => hasField(one, field));
        return change ? [{ field, change }] : [];
      })
    : [];
  const own = found.filter(({ change }) => isOwn(change, session)).map(({ field }) => field);
  const others = found.filter(({ field }) => !own.includes(field));
  const learn: LinkMemory['learn'] = (fresh, fields, ...saved) => {
    const current = fieldsOf(fresh);
    const before = seen.get(name) ?? { known: current, since: '', saves: [] };
    const after = { ...before.known, ...fields };
    seen.keep(name, {
      known: after,
      since: Object.keys(changedFields(current, after)).length === 0 ? fresh.updatedAt : before.since,
      saves: [...before.saves.filter(({ at }) => saved.every((one) => one.at !== at)), ...saved].slice(
        -MOST_SAVES,
      ),
    });
  };
  // What somebody did elsewhere, as to many links at once, needs no notice.
  const learnOwn = useEffectEvent(() =>
    learn(link, Object.fromEntries(own.map((field) => [field, now[field]]))),
  );
  const ownNames = own.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link may be another, and what is known of it
  useEffect(learnOwn, [link, ownNames]);
  // The log may have a change before the link is read again.
  const read = others.filter(({ change }) => change.at <= link.updatedAt);
  const further = savedBy(read, log, { known, saves }, now).filter(({ at }) =>
    saves.every((one) => one.at !== at),
  );
  const keepFurther = useEffectEvent(() => {
    if (further.length > 0) learn(link, {}, ...further);
  });
  const furtherAt = further.map(({ at }) => at).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: which are new
  useEffect(keepFurther, [furtherAt]);
  return {
    saves,
    learn,
    theirs:
      others.length === 0
        ? null
        : {
            names: others.map(({ field }) => field),
            was: known,
            changes: [...new Set(others.map(({ change }) => change))],
            isOld: others.every(({ change }) => change.at <= arrivedAt),
          },
  };
}
