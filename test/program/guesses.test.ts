import { RateLimiterRes } from 'rate-limiter-flexible';
import { beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../src/domain/password.ts';
import { TooMuchWaiting } from '../../src/engine/tools/turns.ts';
import { PasswordChecks } from '../../src/redirect/password-attempts.ts';

let hash: string;
beforeAll(async () => {
  hash = await hashPassword('test', 'right', { N: 2, r: 1, p: 1 });
});

/** The results of checks at the same time: whether the password is right, or the error. */
async function resultsOf(checks: Promise<boolean>[]): Promise<unknown[]> {
  return (await Promise.allSettled(checks)).map((one) =>
    one.status === 'fulfilled' ? one.value : one.reason.constructor,
  );
}

test('at most fifty passwords for a link wait from one address', async () => {
  const guesses = new PasswordChecks();
  const check = () => guesses.isRight('right', { what: '1', hash }, '192.0.2.1');
  const results = await resultsOf(Array.from({ length: 60 }, check));
  expect(results).toEqual([...Array(55).fill(true), ...Array(5).fill(RateLimiterRes)]);
  expect(await check()).toBe(true);
});

test('refuses waiting passwords once the last allowed attempt was wrong', async () => {
  const guesses = new PasswordChecks();
  const check = (password: string) => guesses.isRight(password, { what: '1', hash }, '192.0.2.1');
  const results = await resultsOf([...Array(5).fill('wrong'), ...Array(10).fill('right')].map(check));
  expect(results).toEqual([...Array(5).fill(false), ...Array(10).fill(RateLimiterRes)]);
});

/** Right passwords for as many links, from one address, at the same time. */
function checksOf(guesses: PasswordChecks, address: string, links: number): Promise<boolean>[] {
  return Array.from({ length: links }, (_, link) =>
    guesses.isRight('right', { what: String(link), hash }, address),
  );
}

test('one address leaves capacity to others', async () => {
  const guesses = new PasswordChecks();
  const many = resultsOf(checksOf(guesses, '192.0.2.1', 60));
  expect(await resultsOf(checksOf(guesses, '192.0.2.2', 1))).toEqual([true]);
  expect(await many).toEqual(Array(60).fill(true));
});

test('a password that could not be checked does not count as wrong', async () => {
  const guesses = new PasswordChecks();
  const networks = Array.from({ length: 7 }, (_, network) => `192.0.2.${network}`);
  for (let i = 0; i < 4; i++) {
    const results = await resultsOf(networks.flatMap((address) => checksOf(guesses, address, 30)));
    expect(results).toEqual([...Array(200).fill(true), ...Array(10).fill(TooMuchWaiting)]);
  }
  expect(await resultsOf(checksOf(guesses, '192.0.2.6', 20))).toEqual(Array(20).fill(true));
});
