import { setImmediate } from 'node:timers/promises';

/** Milliseconds for which work may block the thread before it yields. */
const SLICE_MS = 20;
/** Shorter lists are not sliced, so that the reads for all of their items are batched into one statement. */
const SLICED_FROM = 50;

let begunAt = 0;
let turn: Promise<void> | null = null;

/** True if the thread was blocked for long, so that other work should run first. */
export function isBlocked(slice = SLICE_MS): boolean {
  return performance.now() - begunAt >= slice;
}

/** Resolves when other work has run. Concurrent callers continue together: each may have to ask again. */
export async function nextSlice(): Promise<void> {
  turn ??= setImmediate().then(() => {
    turn = null;
    begunAt = performance.now();
  });
  await turn;
}

/** @param slice how long work may block the thread, in milliseconds */
export async function pauseIfBlocked(slice = SLICE_MS): Promise<void> {
  while (isBlocked(slice)) await nextSlice();
}

async function* slices<Item>(items: readonly Item[], signal: AbortSignal): AsyncGenerator<Item> {
  for (const item of items) {
    await pauseIfBlocked();
    signal.throwIfAborted();
    yield item;
  }
}

/** The items; those of a long list one after the other, with pauses between them, until the signal. */
export function inSlices<Item>(
  items: readonly Item[],
  signal: AbortSignal,
): readonly Item[] | AsyncGenerator<Item> {
  return items.length < SLICED_FROM ? items : slices(items, signal);
}
