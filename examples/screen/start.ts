/** The data of the query `Titles`. */
export interface Titles {
  readonly links: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly title: string | null } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}
