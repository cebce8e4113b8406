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

export function SpaceBadge({
  space: { name, color },
}: {
  space: { name: string; color: number };
}): ReactElement {
  return (
    <span className="badge space">
      <i className={`dot c${color}`} />
      {name}
    </span>
  );
}
