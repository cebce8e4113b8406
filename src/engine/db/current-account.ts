import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<number | undefined>();

/** Runs work on behalf of an account, or of the service itself. */
export function onBehalfOf<T>(accountId: number | undefined, work: () => T): T {
  return accounts.run(accountId, work);
}

/** The account on whose behalf the calling code runs; undefined for the service itself. */
export function currentAccount(): number | undefined {
  return accounts.getStore();
}
