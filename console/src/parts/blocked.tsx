import type { ReactElement } from 'react';
import { areCookiesBlocked, isStorageBlocked } from '../data/storage.ts';
import { texts } from '../texts.ts';

/** Says what does not work where the browser blocks cookies or storage. */
export function BlockedNotice({
  cookies = false,
}: {
  /** True if cookies are blocked, which they are not for somebody who is signed in. */
  cookies?: boolean;
}): ReactElement | null {
  const t = texts.blocked;
  const { hostname } = location;
  if (!cookies && !isStorageBlocked) return null;
  return (
    <div className="notice wrong" role="status">
      <div>
        {cookies && <p>{t.cookies(hostname)}</p>}
        {isStorageBlocked && <p>{t.storage(hostname)}</p>}
      </div>
    </div>
  );
}

/** The notice before anybody is signed in. */
export const BlockedAtGate = (): ReactElement => <BlockedNotice cookies={areCookiesBlocked} />;
