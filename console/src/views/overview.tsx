import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { SpaceNameDocument } from '../generated/documents.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty } from '../parts/notice.tsx';
import { useTitle } from '../parts/title.ts';
import { texts } from '../texts.ts';
import { Statistics } from './statistics/statistics.tsx';

/** The statistics of all links of the account, or of those in a space. */
export function Overview({ spaceId }: { spaceId?: string }): ReactElement {
  const { accountId } = useSession();
  const { data } = useRead(
    SpaceNameDocument,
    { id: spaceId ?? '' },
    { pause: spaceId === undefined, on: ['SPACE'] },
  );
  const space = data?.space;
  const title = spaceId === undefined ? texts.places.overview : (space?.name ?? texts.places.spaces);
  useTitle(title);
  if (spaceId === undefined)
    return (
      <>
        <h1 className="unseen">{title}</h1>
        <Statistics owner={{ kind: 'account', id: accountId }} />
      </>
    );
  return (
    <>
      <Link href="/spaces" className="back">
        <Icon name="back" />
        {texts.places.spaces}
      </Link>
      {space === null ? (
        <Empty title={texts.nothingHere} />
      ) : (
        <>
          <header className="page-head">
            <h1>{title}</h1>
            <Link href={`/?space=${spaceId}`}>{texts.spaces.open}</Link>
          </header>
          <Statistics owner={{ kind: 'space', id: spaceId }} />
        </>
      )}
    </>
  );
}
