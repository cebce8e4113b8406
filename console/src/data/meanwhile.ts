import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { LinkWholeFragment, LoggedChangeFragment } from '../generated/documents.ts';
import { isOwn, useChangesOfLink } from './changes.ts';
import type { LinkFields } from './link-fields.ts';
import { seen } from './seen.ts';
import type { Session } from './session.ts';
import type { ChangedValue } from './values.ts';

/** Fields that have other names in the log of changes than in the form. */
const logged: Readonly<Partial<Record<string, string>>> = {
  ...{ spaceId: 'space', domainId: 'domain', pixelIds: 'pixels', tagIds: 'tags' },
  ...{ expiresAt: 'expiration', expiresAfter: 'expiration', expiredUrl: 'expiration' },
  ...{ targetType: 'targeting', targets: 'targeting' },
};

/** The name in the log of a field of the form. */
export const loggedName = (field: string): string => logged[field] ?? field;

/** The fields whose changes are told: those that forms show. */
const told: ReadonlySet<string> = new Set(
  (
    [
      ...(['url', 'title', 'alias', 'spaceId', 'expiresAt', 'targets', 'pixelIds', 'tagIds'] as const),
      ...(['privacy', 'forwardsQuery', 'rules', 'ruleTests', 'preview', 'startsAt'] as const),
      ...(['notes', 'redirectStatus'] as const),
    ] satisfies (keyof LinkFields)[]
  ).map(loggedName),
);

/** The changes of others since somebody here saw the link. */
export interface Theirs {
  /** The fields that they changed last, with the values that somebody here knew, and those of now. */
  readonly values: readonly ChangedValue[];
  /** Newest first. */
  readonly changes: readonly LoggedChangeFragment[];
  /** True if the link was changed before somebody came here. */
  readonly isOld: boolean;
}

/** Sums up the newest changes of a field by others, up to one's own. */
function sumUp(
  name: string,
  log: readonly LoggedChangeFragment[],
  session: Session,
): { value: ChangedValue; changes: LoggedChangeFragment[] } | null {
  const touching = log.filter(({ fields }) => fields.includes(name));
  const own = touching.findIndex((change) => isOwn(change, session));
  const changes = own === -1 ? touching : touching.slice(0, own);
  const valueIn = (change: LoggedChangeFragment | undefined) =>
    change?.values.find((one) => one.name === name);
  const [first, last] = [valueIn(changes.at(-1)), valueIn(changes[0])];
  if (!first || !last || last.isSecret) return null;
  const value = { ...last, before: first.before, isCut: first.isCut || last.isCut };
  return value.before === value.after && !value.isCut ? null : { value, changes };
}

/** The changes that others made to a link since this tab saw it, and a function that closes the note about them. */
export function useMeanwhile(
  link: LinkWholeFragment,
  session: Session,
): { theirs: Theirs | null; close(): void } {
  const name = `${session.viewer.user?.id} ${session.accountId} ${link.id}`;
  const known = useSyncExternalStore(seen.subscribe, () => seen.get(name));
  const [arrivedAt] = useState(link.updatedAt);
  const since = known ?? link.updatedAt;
  const begin = useEffectEvent(() => {
    if (known === undefined) seen.keep(name, link.updatedAt);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another link
  useEffect(begin, [name]);
  const log = useChangesOfLink(link.id, since, since === link.updatedAt);
  const found = [...told].flatMap((field) => sumUp(field, log, session) ?? []);
  const changes = log.filter((change) => found.some((one) => one.changes.includes(change)));
  return {
    theirs:
      found.length === 0
        ? null
        : {
            values: found.map(({ value }) => value),
            changes,
            isOld: changes.every(({ at }) => at <= arrivedAt),
          },
    close: () => seen.keep(name, [link.updatedAt, ...log.map(({ at }) => at)].toSorted().at(-1) ?? since),
  };
}
