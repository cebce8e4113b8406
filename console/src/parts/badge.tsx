import { type ReactElement, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { hasEnded } from '../data/ending.ts';
import type { LinkRowFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { atNearMoment } from '../words/format.ts';
import { Icon } from './icon.tsx';

/** The status of a link, unless it is the usual one, and when it ends. */
export function StatusBadge({
  link: { status, archived, startsAt, blocked, domain, hasPassword, expiration, clicks },
}: {
  link: Pick<
    LinkRowFragment,
    ('status' | 'archived' | 'startsAt' | 'blocked' | 'domain') | ('hasPassword' | 'expiration' | 'clicks')
  >;
}): ReactElement {
  const isPast = hasEnded({ expiration });
  const isUsedUp = expiration.clicks !== null && expiration.clicks <= clicks;
  // The badges of its time and its limit tell that they are over.
  const isTold = status === 'ACTIVE' || (status === 'EXPIRED' && (isPast || isUsedUp));
  return (
    <>
      {blocked && <span className="badge bad">{texts.status.BLOCKED}</span>}
      {!domain.verified && <span className="badge warn">{texts.link.unverified}</span>}
      {!isTold && <span className="badge warn">{texts.status[status] ?? status}</span>}
      {archived && <span className="badge">{texts.links.archived}</span>}
      {startsAt !== null && Date.parse(startsAt) > Date.now() && (
        <span className="badge warn">{texts.links.starts(atNearMoment(startsAt))}</span>
      )}
      {hasPassword && (
        <span className="badge" title={texts.status.PROTECTED}>
          <Icon name="lock" />
          <span className="unseen">{texts.status.PROTECTED}</span>
        </span>
      )}
      {expiration.at !== null && (
        <span className={isPast ? 'badge warn' : 'badge'}>
          {texts.links.ends(atNearMoment(expiration.at), isPast)}
        </span>
      )}
      {expiration.clicks !== null && (
        <span className={isUsedUp ? 'badge warn' : 'badge'}>
          {texts.links.limit(expiration.clicks, isUsedUp)}
        </span>
      )}
    </>
  );
}

/** The number of a link's rules, and how it tells other visitors apart, with the number of their destinations. */
export function TargetsBadge({
  link: {
    rules,
    targeting: { type, countries, platforms, languages, rotation },
  },
}: {
  link: Pick<LinkRowFragment, 'rules' | 'targeting'>;
}): ReactElement {
  const lists = {
    NONE: [],
    COUNTRY: countries,
    PLATFORM: platforms,
    LANGUAGE: languages,
    ROTATION: rotation,
  };
  const t = texts.form;
  return (
    <>
      {rules.length > 0 && <span className="badge">{t.rulesIn(rules.length)}</span>}
      {type !== 'NONE' && (
        <span className="badge">{t.targetsIn(t.targetTypes[type], lists[type].length)}</span>
      )}
    </>
  );
}

/** The tags of a link as chips. */
export function TagBadges({ tags }: { tags: LinkRowFragment['tags'] }): ReactElement[] {
  return tags.map(({ id, name, color }) => (
    <span key={id} className={`badge tag c${color}`} title={name}>
      <bdi>{name}</bdi>
    </span>
  ));
}

/** Chips on one line; those that have no room there are counted at its end. */
export function OneLine({ children }: { children: ReactNode }): ReactElement {
  const line = useRef<HTMLSpanElement>(null);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for other chips, which it finds in the document
  useLayoutEffect(() => {
    const count = () => {
      const chips = [...(line.current?.children ?? [])].filter((one) => one instanceof HTMLElement);
      const end = (line.current?.offsetTop ?? 0) + (line.current?.offsetHeight ?? 0);
      const below = chips.filter(({ offsetTop }) => offsetTop >= end);
      setHidden(below.map(({ textContent }) => textContent));
    };
    const observer = new ResizeObserver(count);
    if (line.current) observer.observe(line.current);
    return () => observer.disconnect();
  }, [children]);
  return (
    <span className="one-line">
      <span ref={line}>{children}</span>
      {hidden.length > 0 && (
        <span className="badge" title={hidden.join(', ')} aria-hidden="true">
          {texts.tags.more(hidden.length)}
        </span>
      )}
    </span>
  );
}

export function SpaceBadge({
  space: { name, color },
}: {
  space: { name: string; color: number };
}): ReactElement {
  return (
    <span className="badge space" title={name}>
      <i className={`dot c${color}`} />
      <span className="cut">
        <bdi>{name}</bdi>
      </span>
    </span>
  );
}
