import type { ReactElement } from 'react';
import type { LinkRowFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { atNearMoment, inDigits } from './format.ts';
import { Icon } from './icon.tsx';

/** The status of a link, unless it is the usual one, and when it ends. */
export function StatusBadge({
  link: { status, blocked, hasPassword, expiration },
}: {
  link: Pick<LinkRowFragment, 'status' | 'blocked' | 'hasPassword' | 'expiration'>;
}): ReactElement {
  return (
    <>
      {blocked && <span className="badge bad">{texts.status.BLOCKED}</span>}
      {status !== 'ACTIVE' && <span className="badge warn">{texts.status[status] ?? status}</span>}
      {hasPassword && (
        <span className="badge" title={texts.status.PROTECTED}>
          <Icon name="lock" />
          <span className="unseen">{texts.status.PROTECTED}</span>
        </span>
      )}
      {expiration.at !== null && (
        <span className="badge">
          {texts.links.ends(atNearMoment(expiration.at), Date.parse(expiration.at) <= Date.now())}
        </span>
      )}
      {expiration.clicks !== null && (
        <span className="badge">{texts.links.limit(inDigits(expiration.clicks))}</span>
      )}
    </>
  );
}

/** How a link tells visitors apart, and how many destinations it has for that. */
export function TargetsBadge({
  targeting: { type, countries, platforms, languages, rotation },
}: Pick<LinkRowFragment, 'targeting'>): ReactElement | null {
  if (type === 'NONE') return null;
  const { length } = { COUNTRY: countries, PLATFORM: platforms, LANGUAGE: languages, ROTATION: rotation }[
    type
  ];
  const t = texts.form;
  return <span className="badge">{t.targetsIn(t.targetTypes[type], inDigits(length))}</span>;
}

/** How many tags of a link are named in a list. */
const MAX_TAGS = 3;

/** The tags of a link as chips; of many, the first ones. */
export function TagBadges({
  tags,
  most = MAX_TAGS,
}: {
  tags: LinkRowFragment['tags'];
  most?: number;
}): ReactElement {
  const others = tags.slice(most).map(({ name }) => name);
  return (
    <>
      {tags.slice(0, most).map(({ id, name, color }) => (
        <span key={id} className={`badge tag c${color}`} title={name}>
          {name}
        </span>
      ))}
      {others.length > 0 && (
        <span className="badge" title={others.join(', ')}>
          {texts.tags.more(others.length)}
        </span>
      )}
    </>
  );
}

export function SpaceBadge({
  space: { name, color },
}: {
  space: { name: string; color: number };
}): ReactElement {
  return (
    <span className="badge space">
      <i className={`dot c${color}`} />
      <span className="cut">{name}</span>
    </span>
  );
}
