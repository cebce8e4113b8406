import type { Period } from './period.ts';

/** The subject of statistics. */
export interface Owner {
  readonly kind: 'link' | 'space' | 'tag' | 'account';
  readonly id: string;
  /** The name; the account needs none. */
  readonly name?: string | undefined;
}

/** A subject and the days of its figures. */
export interface OwnerPeriod {
  readonly owner: Owner;
  readonly period: Period;
}

/** The variables that choose the owner in a document. */
export const asking = ({ kind, id }: Owner) => ({
  ...{ id, isLink: kind === 'link', isSpace: kind === 'space' },
  ...{ isTag: kind === 'tag', isAccount: kind === 'account' },
});

/** The owner as it was read. */
export function readOwnerPart<Part>(
  data:
    | {
        readonly link?: Part | null | undefined;
        readonly space?: Part | null | undefined;
        readonly tag?: Part | null | undefined;
        readonly viewer?: { readonly account: Part } | undefined;
      }
    | undefined,
): Part | null | undefined {
  return data?.link ?? data?.space ?? data?.tag ?? data?.viewer?.account;
}
