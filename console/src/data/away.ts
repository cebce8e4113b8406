import { storeOf } from './store.ts';

/** How soon a service that is there answers, in milliseconds. */
export const ANSWERS_IN = 5_000;

const isAway = storeOf(false);

/** Whether the service does not answer, which is said where messages stand. */
export const away = {
  ...isAway,
  /** Asks the service whether it is there. */
  async isOver(): Promise<boolean> {
    try {
      return (await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERS_IN) })).ok;
    } catch {
      return false;
    }
  },
  /** Finds out whether it is, after a request without an answer. */
  async find(): Promise<void> {
    if (!isAway.get() && !(await away.isOver())) away.set(true);
  },
};
