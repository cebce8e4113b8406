/** The field with the destination of the link that is open. */
export const DESTINATION = 'form.edit input[type="url"]';

/** How long an element is waited for, in milliseconds. */
const PATIENCE = 3_000;

/** Focuses the element that matches; false if there is none, or it is hidden, as while the next view is loaded. */
export function focusNow(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null && document.activeElement === found;
}

/** Focuses the element that matches, at once or as soon as its view is there. */
export function focusSoon(selector: string): void {
  if (focusNow(selector)) return;
  const observer = new MutationObserver(() => focusNow(selector) && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  setTimeout(() => observer.disconnect(), PATIENCE);
}
