import type { ReactElement, ReactNode } from 'react';
import type { ReadOptions } from '../data/read.ts';
import { Unread } from './notice.tsx';
import { type Paged, usePages } from './pages.tsx';
import { Records } from './records.tsx';

/** Records of a kind, in pages. */
export function RecordList<Data, Row>({
  on,
  none,
  children,
  ...paged
}: Paged<Data, Row> &
  Pick<ReadOptions, 'on'> & {
    /** Stands in place of an empty list. */
    none?: ReactNode;
    children: (row: Row) => ReactNode;
  }): ReactElement {
  const { nodes, turns, fault, again } = usePages(paged, (after) => ({ after }), { on });
  if (!nodes) return <Unread fault={fault} again={again} rows={3} />;
  return (
    <>
      {nodes.length === 0 ? none : <Records>{nodes.map(children)}</Records>}
      {turns}
    </>
  );
}
