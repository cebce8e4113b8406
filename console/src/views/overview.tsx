import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { SpaceNameDocument, TagDocument } from '../generated/documents.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty } from '../parts/notice.tsx';
import { useTitle } from '../parts/title.ts';
import { texts } from '../texts.ts';
import { Statistics } from './statistics/statistics.tsx';

interface Group {
  readonly kind: 'space' | 'tag';
  readonly id: string;
}

/** The statistics of all links of the account, or of those in a space or with a tag. */
export function Overview({ group }: { group?: Group }): ReactElement {
  return group ? <OverviewOfGroup group={group} /> : <OverviewOfAccount />;
}

function OverviewOfAccount(): ReactElement {
  const { accountId } = useSession();
  useTitle(texts.places.overview);
  return (
    <>
      <h1 className="unseen">{texts.places.overview}</h1>
      <Statistics owner={{ kind: 'account', id: accountId }} />
    </>
  );
}

function OverviewOfGroup({ group: { kind, id } }: { group: Group }): ReactElement {
  const isSpace = kind === 'space';
  const { data: inSpace } = useRead(SpaceNameDocument, { id }, { pause: !isSpace, on: ['SPACE'] });
  const { data: withTag } = useRead(TagDocument, { id }, { pause: isSpace, on: ['TAG'] });
  const record = isSpace ? inSpace?.space : withTag?.tag;
  const [all, allHref] = isSpace ? [texts.places.spaces, '/spaces'] : [texts.tags.title, '/tags'];
  const title = record?.name ?? all;
  useTitle(title);
  return (
    <>
      <Link href={allHref} className="back">
        <Icon name="back" />
        {all}
      </Link>
      {record === null ? (
        <Empty title={texts.nothingHere} />
      ) : (
        <>
          <header className="page-head">
            <h1>{title}</h1>
            <Link href={`/?${isSpace ? 'space' : 'tags'}=${id}`}>{texts.spaces.open}</Link>
          </header>
          <Statistics owner={{ kind, id }} />
        </>
      )}
    </>
  );
}
