import { type ReactElement, useState } from 'react';
import type { AnyVariables, TypedDocumentNode } from 'urql';
import { Button } from '../controls/button.tsx';
import { type Reading, type ReadOptions, useRead } from '../data/read.ts';
import { texts } from '../texts.ts';

/** A page of records, as the API has it. */
export interface Page<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A document that reads a list, and the list in its data. */
export interface Paged<Data, Row, Variables = { after?: string | null | undefined }> {
  readonly document: TypedDocumentNode<Data, Variables>;
  pageOf(data: Data): Page<Row> | undefined;
}

/** Reads records in pages; `turns` leads to further ones. */
export function usePages<Data, Row, Variables extends AnyVariables>(
  { document, pageOf }: Paged<Data, Row, Variables>,
  variablesAt: (after: string | null) => Variables,
  options: ReadOptions,
): Reading<Data> & { readonly nodes: readonly Row[] | undefined; readonly turns: ReactElement | null } {
  const [after, setAfter] = useState<string | null>(null);
  const reading = useRead(document, variablesAt(after), options);
  const { nodes, pageInfo } = (reading.data && pageOf(reading.data)) ?? {};
  const hasNext = pageInfo?.hasNextPage ?? false;
  const toNext = () => setAfter(pageInfo?.endCursor ?? null);
  const t = texts.pages;
  const turns =
    hasNext || (pageInfo && after !== null) ? (
      <nav className="pager" aria-label={t.all}>
        <Button look="quiet" text={t.first} disabled={after === null} onClick={() => setAfter(null)} />
        <Button look="quiet" text={t.next} disabled={!hasNext} onClick={toNext} />
      </nav>
    ) : null;
  return { ...reading, nodes, turns };
}
