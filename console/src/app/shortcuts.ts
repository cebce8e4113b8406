import { useEffect, useEffectEvent } from 'react';
import { local } from '../data/storage.ts';
import { language } from '../language.ts';

const STORED = 'linkspace.shortcuts';

/** The setting for shortcuts; people whose tools type letters switch them off. */
export const shortcuts = {
  areOn: (): boolean => local.get(STORED) !== 'off',
  set: (on: boolean): void => void local.set(STORED, on ? 'on' : 'off'),
};

const typing = 'input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]';

/** Letters and signs in a form are for its fields, also while one of its buttons has the focus. */
const isForForm = (key: string, target: Element): boolean =>
  key.length === 1 && target.closest('form') !== null;

/** Runs the action of a key, unless somebody types, or the key means something else to the browser. */
export function onShortcut(event: KeyboardEvent, actions: Readonly<Record<string, () => void>>): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (event.defaultPrevented || ctrlKey || metaKey || altKey || !shortcuts.areOn()) return;
  if (target instanceof Element && (target.closest(typing) || isForForm(key, target))) return;
  if (document.querySelector('dialog[open], :is(.menu, .popover):popover-open')) return;
  const action = actions[key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** Runs the actions of keys for as long as a component is rendered. */
export function useShortcuts(actions: Parameters<typeof onShortcut>[1]): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => onShortcut(event, actions));
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of the quick search, as they stand on the keyboard. */
export const shownFindKey = isMac ? '⌘K' : `${language === 'de' ? 'Strg' : 'Ctrl'} K`;

/** True for the keys of the quick search, which also count while somebody types. */
export const isFindKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !altKey && !shiftKey;
