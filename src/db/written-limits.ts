/** How many links a transaction writes at most, and how many other rows. */
export const MAX_WRITTEN_LINKS = 500;
export const MAX_WRITTEN_ROWS = 10_000;
