/** Texts by names, kept by the browser, or else by this page until it is closed or loaded again. */
export interface Kept {
  get(name: string): string | null;
  /** Returns true if the browser keeps it. */
  set(name: string, value: string): boolean;
  remove(name: string): void;
  names(): string[];
}

/** Some browsers throw where storage is asked for, some have none, and some take nothing. */
function keptIn(storage: 'localStorage' | 'sessionStorage'): Kept {
  const memory = new Map<string, string>();
  const attempt = <Result>(act: (kept: Storage) => Result): Result | null => {
    try {
      return act(window[storage]);
    } catch {
      return null;
    }
  };
  return {
    get: (name) => memory.get(name) ?? attempt((kept) => kept.getItem(name)),
    set(name, value) {
      const isKept = attempt((kept) => {
        kept.setItem(name, value);
        return true;
      });
      if (isKept) memory.delete(name);
      else memory.set(name, value);
      return isKept ?? false;
    },
    remove(name) {
      memory.delete(name);
      attempt((kept) => kept.removeItem(name));
    },
    names: () => [...new Set([...memory.keys(), ...(attempt((kept) => Object.keys(kept)) ?? [])])],
  };
}

/** The browser's storage for this site, and for this tab. */
export const local = keptIn('localStorage');
export const session = keptIn('sessionStorage');

const PROBE = 'linkspace.probe';

/** True if the browser keeps nothing of this page. */
export const isStorageBlocked = [local, session].map((one) => one.set(PROBE, '')).includes(false);
for (const one of [local, session]) one.remove(PROBE);

function findBlockedCookies(): boolean {
  try {
    return !navigator.cookieEnabled || document.cookie === undefined;
  } catch {
    return true;
  }
}

/** True if nobody can stay signed in. */
export const areCookiesBlocked = findBlockedCookies();
