import { expect, test } from 'vitest';
import { TooMuchWaiting, Turns } from '../../src/engine/tools/turns.ts';

/** Work that ends on demand, and the order in which it started. */
function workshop(turns: Turns) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (owner: string, name = owner) =>
    turns.take(owner, () => {
      begun.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { begun, take, endNext };
}

test('gives owners turns, however much work each has', async () => {
  const { begun, take, endNext } = workshop(new Turns({ max: 2, maxWaiting: 10 }));
  const all = [
    ...[1, 2, 3, 4, 5].map((i) => take('a', `a${i}`)),
    take('b', 'b1'),
    ...[1, 2].map((i) => take('c', `c${i}`)),
  ];
  expect(begun).toEqual(['a1', 'a2']);
  for (let i = 0; i < 8; i++) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'c2', 'a5']);
});

test('uses free places at once, also after failed work', async () => {
  const turns = new Turns({ max: 1, maxWaiting: 10 });
  await expect(turns.take('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await turns.take('b', async () => 'done')).toBe('done');
});

test('refuses work of an owner above its limit of waiting work', async () => {
  const { take, endNext } = workshop(new Turns({ max: 1, maxWaiting: 2 }));
  const accepted = [take('a'), take('a'), take('a'), take('b')];
  await expect(take('a')).rejects.toThrow(TooMuchWaiting);
  for (let i = 0; i < 4; i++) await endNext();
  await Promise.all(accepted);
  const again = take('a');
  await endNext();
  await again;
});

test('does one piece of work of each owner at a time, also after a failed one', async () => {
  const turns = new Turns({ maxOfOwner: () => 1 });
  let [running, most] = [0, 0];
  const work = async (fails: boolean) => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    if (fails) throw new Error('failed');
    return 'done';
  };
  const all = [true, false, true, false].map((fails) => turns.take('a', () => work(fails)));
  const ends = (await Promise.allSettled(all)).map(({ status }) => status);
  expect([ends, most]).toEqual([['rejected', 'fulfilled', 'rejected', 'fulfilled'], 1]);
});

test('an owner at its share delays no other one, and its work follows in order', async () => {
  const { begun, take, endNext } = workshop(new Turns({ max: 3, maxOfOwner: () => 2 }));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => take(name.charAt(0), name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (let i = 0; i < 6; i++) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

test('owners below the share come first, and the others take what is left', async () => {
  const { begun, take, endNext } = workshop(new Turns({ max: 4, maxOfOwner: () => 3, share: () => 2 }));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map((name) => take(name.charAt(0), name));
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  for (let i = 0; i < 8; i++) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'c1', 'b3']);
});

test('work begins as soon as a growing share allows it, all of it', async () => {
  let share = 1;
  const { begun, take, endNext } = workshop(new Turns({ maxOfOwner: () => share }));
  const all = ['1', '2', '3', '4'].map((name) => take('a', name));
  share = 3;
  await endNext();
  expect(begun).toEqual(['1', '2', '3', '4']);
  for (let i = 0; i < 3; i++) await endNext();
  await Promise.all(all);
});

test('refuses work that waits for too long with the given error, and takes it out of the queue', async () => {
  const refusal = () => new Error('too late');
  const { begun, take, endNext } = workshop(new Turns({ max: 1, timeout: 1, refusal }));
  const first = take('a');
  await expect(take('b')).rejects.toThrow('too late');
  await endNext();
  await first;
  const again = take('c');
  await endNext();
  await again;
  expect(begun).toEqual(['a', 'c']);
});

test('ends the waiting of work by its signal, and takes it out of the queue', async () => {
  const turns = new Turns({ max: 1 });
  const [ended, begun] = [Promise.withResolvers<void>(), [] as string[]];
  const first = turns.take('a', () => ended.promise);
  const left = new AbortController();
  const work = async () => void begun.push('b');
  const second = turns.take('b', work, left.signal);
  left.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  await expect(turns.take('b', work, left.signal)).rejects.toThrow('left');
  ended.resolve();
  await first;
  await turns.take('c', async () => void begun.push('c'));
  expect(begun).toEqual(['c']);
});

test('keeps to a new number of places from then on', async () => {
  const turns = new Turns({ max: 2 });
  const { begun, take, endNext } = workshop(turns);
  const all = [1, 2, 3, 4, 5].map((i) => take('a', `a${i}`));
  turns.resize(1);
  await endNext();
  expect(begun).toEqual(['a1', 'a2']);
  await endNext();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  turns.resize(3);
  await new Promise(setImmediate);
  expect(begun).toHaveLength(5);
  for (let i = 0; i < 3; i++) await endNext();
  await Promise.all(all);
});
