import { ANSWERS_IN, away } from './away.ts';
import { Fault } from './faults.ts';
import { session } from './storage.ts';

/** The state of the service when a part of the console cannot be loaded, or is broken. */
export type Trouble = 'away' | 'broken' | 'updated';

/** The scripts of this page. Each version of the console changes the name of one of them at least. */
const scriptsOfPage = (): string[] =>
  [...document.querySelectorAll('script[type="module"]')].map((one) => one.getAttribute('src') ?? '');

/** Asks for the console's page, which names the scripts of the version that is installed. */
export async function findTrouble(): Promise<Trouble> {
  try {
    const response = await fetch('/console', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERS_IN) });
    if (!response.ok) return 'away';
    const page = await response.text();
    return scriptsOfPage().every((one) => page.includes(one)) ? 'broken' : 'updated';
  } catch {
    return 'away';
  }
}

const kinds = { away: 'away', broken: 'missing', updated: 'old' } as const;

/**
 * Loads a script that is needed now. Many browsers remember a failed script until the page is loaded again, so none is
 * requested while the service does not answer.
 * @throws Fault if it cannot be loaded
 */
export async function loadScript<Script>(load: () => Promise<Script>): Promise<Script> {
  let trouble = away.get() ? await findTrouble() : 'broken';
  if (trouble !== 'away') {
    try {
      return await load();
    } catch {
      trouble = await findTrouble();
    }
  }
  throw new Fault(kinds[trouble], 'A part of the console could not be loaded.');
}

const RELOADED = 'linkspace.reloaded.';

/** Loads the page again, once in a tab for each version: behind a load balancer, old and new ones may take turns. */
export function reloadOnce(): boolean {
  const name = RELOADED + scriptsOfPage().join();
  // Without storage, nothing would end a loop.
  if (session.get(name) !== null || !session.set(name, 'yes')) return false;
  location.reload();
  return true;
}
