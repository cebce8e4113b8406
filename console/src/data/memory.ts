import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { ChangeRowFragment, LinkWholeFragment } from '../generated/documents.ts';
import { isOwn, useChangesOfLink } from './changes.ts';
import { changedFields, type Saved } from './edit-state.ts';
import { type LinkFields, toLinkFields } from './link-fields.ts';
import { type Seen, seen } from './seen.ts';
import type { Session } from './session.ts';

/** The number of saves of a link that are remembered. */
const MOST_SAVES = 20;
/** The time by which the log may have a change earlier than the link's own time of it, in milliseconds. */
const TOLERANCE = 500;

/** Fields that have other names in the log of changes than in the form. */
const logged: Readonly<Record<string, string>> = {
  ...{ spaceId: 'space', domainId: 'domain', pixelIds: 'pixels', tagIds: 'tags' },
  ...{ expiresAt: 'expiration', expiresAfter: 'expiration', expiredUrl: 'expiration' },
  ...{ targetType: 'targeting', targets: 'targeting' },
};

const hasField = ({ fields }: ChangeRowFragment, name: string): boolean =>
  fields.includes(logged[name] ?? name);

/** The changes of others since somebody here saw the link. */
export interface Theirs {
  readonly names: readonly string[];
  readonly was: LinkFields;
  /** The newest change of each field. */
  readonly changes: readonly ChangeRowFragment[];
  /** True if it was changed before somebody came here. */
  readonly isOld: boolean;
}

/** Finds the save that a change of the log records. */
export function savedAs(change: ChangeRowFragment, all: readonly Saved[]): Saved | undefined {
  const isFrom = ({ before, after }: Saved) =>
    Object.keys(changedFields(after, before)).some((name) => hasField(change, name));
  return all.find((saved) => saved.at === change.at && isFrom(saved));
}

interface Found {
  readonly field: keyof LinkFields;
  /** The newest of the field. */
  readonly change: ChangeRowFragment;
}

/**
 * Makes a save of each change of others. A field whose earlier change was not seen here is left out: its value between the two
 * is unknown.
 */
function savedBy(
  found: readonly Found[],
  log: readonly ChangeRowFragment[],
  { known, saves }: Pick<Seen, 'known' | 'saves'>,
  now: LinkFields,
): Saved[] {
  const valuesBefore = ({ field, change }: Found): Partial<LinkFields> | null => {
    const before = log.slice(log.indexOf(change) + 1).find((one) => hasField(one, field));
    if (!before) return { [field]: known[field] };
    const seen = savedAs(before, saves);
    return seen && field in changedFields(seen.after, seen.before) ? { [field]: seen.after[field] } : null;
  };
  return [...new Set(found.map(({ change }) => change))].flatMap((change) => {
    const own = found
      .filter((one) => one.change === change)
      .map((one) => ({ one, before: valuesBefore(one) }));
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
  /** Marks fields of the link as known, and keeps the saves. */
  learn(link: LinkWholeFragment, fields: Partial<LinkFields>, ...saved: readonly Saved[]): void;
}

/** The memory that this tab has of a link, and the changes of others that follow from it. */
export function useLinkMemory(link: LinkWholeFragment, session: Session): LinkMemory {
  const name = `${session.viewer.user?.id} ${session.accountId} ${link.id}`;
  const memory = useSyncExternalStore(seen.subscribe, () => seen.get(name));
  const [arrivedAt] = useState(link.updatedAt);
  const now = toLinkFields(link);
  const { known, since, saves } = memory ?? { known: now, since: link.updatedAt, saves: [] };
  const differing = Object.keys(changedFields(now, known)) as (keyof LinkFields)[]; // The type says so.
  const log = useChangesOfLink(link.id, since, differing.length === 0);
  // Until the log has the last change, its newest one may be an earlier change.
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
    const current = toLinkFields(fresh);
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
  // One's own changes elsewhere, as of many links at once, need no notice.
  const learnOwn = useEffectEvent(() =>
    learn(link, Object.fromEntries(own.map((field) => [field, now[field]]))),
  );
  const ownNames = own.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another link, and when other fields are one's own
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for other saves, by their times; the saves themselves are made anew with each render
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
