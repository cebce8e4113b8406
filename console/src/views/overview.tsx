import type { ReactElement } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { FilterSelect, type OptionGroup } from '../controls/select.tsx';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import {
  ChoicesDocument,
  SpaceNameDocument,
  TagChoicesDocument,
  TagDocument,
} from '../generated/documents.ts';
import { Back } from '../parts/back.tsx';
import { Empty } from '../parts/notice.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
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
      </header>
      <Statistics owner={{ kind: 'account', id: accountId }} filters={<GroupFilter />} end={<ViewsHere />} />
    </>
  );
}

function OverviewOfGroup({ group: { kind, id } }: { group: Group }): ReactElement {
  const isSpace = kind === 'space';
  const { data: inSpace } = useRead(SpaceNameDocument, { id }, { pause: !isSpace, on: ['SPACE'] });
  const { data: withTag } = useRead(TagDocument, { id }, { pause: isSpace, on: ['TAG'] });
  const record = isSpace ? inSpace?.space : withTag?.tag;
  const all = isSpace ? texts.places.spaces : texts.tags.title;
  const title = record?.name ?? all;
  useTitle(title, texts.places.overview);
  return record === null ? (
    <Empty title={texts.nothingHere} />
  ) : (
    <>
      <Back to={`/${kind}s`} text={all} />
      <header className="page-head">
        <div>
          <h1>
            {record && <i className={`dot c${record.color}`} />}
            <bdi>{title}</bdi>
          </h1>
          <Link href={`/links?${isSpace ? 'space' : 'tags'}=${id}`}>{texts.spaces.open}</Link>
        </div>
      </header>
      <Statistics
        owner={{ kind, id, name: record?.name }}
        filters={<GroupFilter group={record && { kind, id, name: record.name }} />}
        end={<ViewsHere group={{ kind, id }} />}
      />
    </>
  );
}

/** The saved views of the overview, of which one of a space or a tag names that, too. */
function ViewsHere({ group }: { group?: Group }): ReactElement {
  const query = useSearch();
  const params = new URLSearchParams(query);
  if (group) params.set(group.kind, group.id);
  return <SavedViews view="OVERVIEW" query={String(params)} />;
}

/** The subject of the statistics: all links, those of a space, or those of a tag. No sum has both space and tag. */
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
  const groupPath = ({ kind, id }: Group) => `/${kind}s/${id}`;
  const listOptions = (
    kind: Group['kind'],
    label: string,
    nodes: readonly { id: string; name: string }[] = [],
  ): OptionGroup[] => {
    const chosen = group?.kind === kind ? group : null;
    // It may be beyond the first page.
    const listed = chosen && !nodes.some(({ id }) => id === chosen.id) ? [...nodes, chosen] : nodes;
    const options = listed.map(({ id, name }) => ({ value: groupPath({ kind, id }), text: name }));
    return options.length === 0 ? [] : [{ label, options }];
  };
  return (
    <FilterSelect
      label={texts.statistics.group}
      isSet={group !== undefined}
      value={group ? groupPath(group) : '/overview'}
      options={[
        { value: '/overview', text: texts.statistics.wholeAccount },
        ...listOptions('space', texts.places.spaces, choices?.spaces.nodes),
        ...listOptions('tag', texts.tags.title, tagChoices?.tags.nodes),
      ]}
      onValue={open}
    />
  );
}
