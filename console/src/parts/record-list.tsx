import { type ReactElement, type ReactNode, useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import { useRead } from '../data/read.ts';
import type { RecordKind } from '../generated/documents.ts';
import { FaultNotice, Skeleton } from './notice.tsx';
import { MorePages, Records } from './records.tsx';

/** Records of a kind, in pages. */
export function RecordList<Data, Row>({
  document,
  on,
  pageOf,
  none,
  children,
}: {
  document: TypedDocumentNode<Data, { after?: string | null | undefined }>;
  /** Changes of these kinds of records read the list again. */
  on: readonly RecordKind[];
  pageOf: (data: Data) => {
    readonly nodes: readonly Row[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
  /** Stands in place of an empty list. */
  none?: ReactNode;
  children: (row: Row) => ReactNode;
}): ReactElement {
  const [after, setAfter] = useState<string | null>(null);
  const { data, fault, again } = useRead(document, { after }, { on });
  if (!data) return fault ? <FaultNotice fault={fault} again={again} /> : <Skeleton rows={3} />;
  const { nodes, pageInfo } = pageOf(data);
  return (
    <>
      {nodes.length === 0 ? none : <Records>{nodes.map(children)}</Records>}
      <MorePages
        hasNext={pageInfo.hasNextPage}
        isFirst={after === null}
        onFirst={() => setAfter(null)}
        onNext={() => setAfter(pageInfo.endCursor)}
      />
    </>
  );
}
