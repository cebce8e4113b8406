import type { Context } from './context.ts';

export interface Progress {
  /** Adds a number of things that are done. */
  add(count: number): void;
  /** Removes the line. */
  end(): void;
}

/** Shows the progress of long work on one line of a terminal. Elsewhere, and with `--json`, nothing is shown. */
export function progressOn({ io, isJson }: Context, things: string, total: number | null): Progress {
  if (!io.isTerminal.errors || isJson) return { add: () => {}, end: () => {} };
  let count = 0;
  return {
    add(more) {
      count += more;
      io.complain(`\r\u001b[K${count}${total === null ? '' : ` of ${total}`} ${things}`);
    },
    end: () => io.complain('\r\u001b[K'),
  };
}
