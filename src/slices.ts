import { setImmediate } from 'node:timers/promises';

/** How long a long piece of work may hold the thread before others have their turn, in milliseconds. */
const SLICE = 20;
/** Shorter lists are not worth it: what is asked for each of their items should go into one statement. */
const SHORT = 50;

let begunAt = 0;
let turn: Promise<void> | null = null;

/** Lets others have their turn, where this thread was held for long. All who do so at once go on together. */
export async function yieldToOthers(): Promise<void> {
  if (performance.now() - begunAt < SLICE) return;
  turn ??= setImmediate().then(() => {
    turn = null;
    begunAt = performance.now();
  });
  await turn;
}

async function* slices<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) {
    await yieldToOthers();
    yield item;
  }
}

/** The items; of a long list, one after the other, with turns for others between them. */
export function inSlices<Item>(items: readonly Item[]): readonly Item[] | AsyncGenerator<Item> {
  return items.length < SHORT ? items : slices(items);
}
