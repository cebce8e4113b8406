import { away } from './away.ts';
import { Fault } from './faults.ts';

/** What is known of the service when a part of the console cannot be loaded, or is broken. */
export type Trouble = 'away' | 'broken' | 'updated';

/** The script of this page, whose name changes with every version of the console. */
const entryOfPage = (): string =>
  document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';

/** Asks for the console's page, which names the script of the version that is installed. */
export async function findTrouble(): Promise<Trouble> {
  try {
    const response = await fetch('/console', { cache: 'no-store' });
    if (!response.ok) return 'away';
    return (await response.text()).includes(entryOfPage()) ? 'broken' : 'updated';
  } catch {
    return 'away';
  }
}

/**
 * Loads a script that is needed now. Many browsers keep that one could not be loaded until the page is loaded again, so none is
 * asked for while nothing answers.
 * @throws Fault if it cannot be loaded
 */
export async function loadScript<Script>(load: () => Promise<Script>): Promise<Script> {
  let isAway = away.get() && (await findTrouble()) === 'away';
  if (!isAway) {
    try {
      return await load();
    } catch {
      isAway = (await findTrouble()) === 'away';
    }
  }
  throw new Fault(isAway ? 'away' : 'old', 'A part of the console could not be loaded.');
}

const RELOADED = 'linkspace.reloaded.';

/** Loads the page again, once in a tab for each version: behind a load balancer, old and new ones may take turns. */
export function reloadOnce(): boolean {
  const name = RELOADED + entryOfPage();
  try {
    if (sessionStorage.getItem(name) !== null) return false;
    sessionStorage.setItem(name, 'yes');
  } catch {
    // Without storage, nothing would end a loop.
    return false;
  }
  location.reload();
  return true;
}
