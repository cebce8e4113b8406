/** The most links, and other rows, that a transaction writes. */
export const MAX_WRITTEN_LINKS = 500;
export const MAX_WRITTEN_ROWS = 10_000;
