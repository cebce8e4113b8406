import type { ReactElement } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import {
  ChoicesDocument,
  SpaceNameDocument,
  TagChoicesDocument,
  TagDocument,
} from '../generated/documents.ts';
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
      <header className="page-head">
        <h1>{texts.places.overview}</h1>
        <GroupFilter />
      </header>
      <Statistics owner={{ kind: 'account', id: accountId }} />
    </>
  );
}

function OverviewOfGroup({ group: { kind, id } }: { group: Group }): ReactElement {
  const isSpace = kind === 'space';
  const { data: inSpace } = useRead(SpaceNameDocument, { id }, { pause: !isSpace, on: ['SPACE'] });
  const { data: withTag } = useRead(TagDocument, { id }, { pause: isSpace, on: ['TAG'] });
  const record = isSpace ? inSpace?.space : withTag?.tag;
  const title = record?.name ?? (isSpace ? texts.places.spaces : texts.tags.title);
  useTitle(title, texts.places.overview);
  return record === null ? (
    <Empty title={texts.nothingHere} />
  ) : (
    <>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          <Link href={`/?${isSpace ? 'space' : 'tags'}=${id}`}>{texts.spaces.open}</Link>
        </div>
        <GroupFilter group={record && { kind, id, name: record.name }} />
      </header>
      <Statistics owner={{ kind, id }} />
    </>
  );
}

/** Leads to the statistics of a space or a tag: not of both together, since no sum has them. */
function GroupFilter({ group }: { group?: (Group & { name: string }) | undefined }): ReactElement {
  const [, navigate] = useLocation();
  const query = useSearch();
  const { data: choices } = useRead(ChoicesDocument, {}, { on: ['SPACE'] });
  const { data: tagChoices } = useRead(TagChoicesDocument, {}, { on: ['TAG'] });
  const open = (path: string) => {
    const params = new URLSearchParams(query);
    for (const name of ['by', 'value']) params.delete(name);
    navigate(params.size > 0 ? `${path}?${params}` : path);
  };
  const filter = (kind: Group['kind'], name: string, nodes: readonly { id: string; name: string }[] = []) => {
    const chosen = group?.kind === kind ? group : null;
    // It need not be among the first ones.
    const listed = chosen && !nodes.some(({ id }) => id === chosen.id) ? [...nodes, chosen] : nodes;
    return listed.length === 0 ? null : (
      <select
        className={chosen ? 'filter set' : 'filter'}
        aria-label={name}
        value={chosen?.id ?? ''}
        onChange={({ target: { value } }) => open(value === '' ? '/overview' : `/${kind}s/${value}`)}
      >
        <option value="">{name}</option>
        {listed.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    );
  };
  return (
    <div className="toolbar">
      {filter('space', texts.filters.space, choices?.spaces.nodes)}
      {filter('tag', texts.tags.anyTag, tagChoices?.tags.nodes)}
    </div>
  );
}
