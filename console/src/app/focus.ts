/** The field with the destination of the link that is open. */
export const DESTINATION = 'form.edit input[type="url"]';

/** How long an element is waited for, in milliseconds. */
const PATIENCE = 3_000;

/** Focuses the first element that matches, at once or as soon as its view is there. */
export function focusSoon(selector: string): void {
  const focus = () => {
    const found = document.querySelector<HTMLElement>(selector);
    found?.focus();
    return found !== null;
  };
  if (focus()) return;
  const observer = new MutationObserver(() => focus() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), PATIENCE);
}
