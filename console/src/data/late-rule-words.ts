import { useEffect, useSyncExternalStore } from 'react';
import { makeStore } from './store.ts';
import { loadScript } from './version.ts';

type RuleWords = typeof import('./rule-words.ts');

/** The words of rules, once a page has asked for them; null before. */
export const ruleWords = makeStore<RuleWords | null>(null);

/** Loads the words of rules for texts that have none of their own yet. */
export async function loadRuleWords(): Promise<void> {
  if (ruleWords.get() !== null) return;
  // Without them, rules are shown by their names and destinations.
  const loaded = await loadScript(() => import('./rule-words.ts')).catch(() => null);
  if (loaded) ruleWords.set(loaded);
}

/** Returns the words of rules, and loads them where there are some; null until then. */
export function useRuleWords(hasRules: boolean): RuleWords | null {
  useEffect(() => {
    if (hasRules) void loadRuleWords();
  }, [hasRules]);
  return useSyncExternalStore(ruleWords.subscribe, ruleWords.get);
}
