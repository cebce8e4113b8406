import { flushSync } from 'react-dom';

/** The field with the destination of the link that is open. */
export const DESTINATION = 'form.edit input[type="url"]';
/** The row of the list that arrow keys go on from. */
export const CURRENT_ROW = '.rows li.current';

/** The id of the element with a link in the list. */
export const rowId = (id: string): string => `link-${id}`;

let last: string | null = null;
/** The link that was open, or whose row had the focus, last: its row is where somebody goes on. */
export const lastLink = {
  get: (): string | null => last,
  set: (id: string): void => {
    last = id;
  },
};

/** The time an element is waited for, in milliseconds. */
const PATIENCE = 3_000;

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

function focus(element: Element | null | undefined, options?: FocusOptions): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus(options);
  return document.activeElement === element;
}

/** Focuses the element that matches; false if there is none, or it is hidden, as while the next view is loaded. */
export const focusNow = (selector: string): boolean =>
  focus(document.querySelector(selector), { preventScroll: selector === '#main' });

/**
 * Focuses the element that matches, at once or as soon as its view is there, if that is still wanted then. Escape ends the wait:
 * whoever leaves a field does not want to be led elsewhere.
 */
export function focusSoon(selector: string, isWanted: () => boolean = () => true): void {
  const act = () => isWanted() && focusNow(selector);
  if (act()) return;
  const end = () => {
    observer.disconnect();
    document.removeEventListener('keydown', onKey, true);
  };
  const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && end();
  const observer = new MutationObserver(() => act() && end());
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  document.addEventListener('keydown', onKey, true);
  setTimeout(end, PATIENCE);
}

/** Focuses the row of a link, unless somebody is typing. */
export const focusRow = (id: string): void =>
  focusSoon(`#${rowId(id)}`, () => document.activeElement?.closest('input, textarea, select') === null);

/** True if nothing in particular has the focus. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || document.activeElement?.id === 'main';

/** Shows errors, and moves to the first one: to its field, or to a text with `data-wrong`. */
export function showWrong(form: string, show: () => void): void {
  flushSync(show);
  focusSoon(`${form} :is([aria-invalid="true"], [data-wrong])`);
}

/** An element with its neighbours. */
type Place = readonly [element: Element, next: Element | null, previous: Element | null];

const focusWithin = (element: Element | null): boolean =>
  element?.isConnected === true &&
  (focus(element) || [...element.querySelectorAll(focusable)].some((one) => focus(one)));

/** Moves to a neighbour of the first place that is gone, or of the element around it. */
function moveOn(places: readonly Place[], main: Element | null): void {
  for (const [element, next, previous] of places) {
    // In the search, which is around it, shortcuts would be typed.
    if (element === main || element.querySelector('#search')) break;
    if (focusWithin(element) || focusWithin(next) || focusWithin(previous)) return;
  }
  focus(main, { preventScroll: true });
}

/**
 * Moves the focus on when the focused element goes away, since browsers leave it nowhere then. After a message, it returns to its
 * place in the view. Returns a function that ends that.
 */
export function keepFocus(): () => void {
  let held: Element | null = null;
  let places: readonly Place[] = [];
  const isThere = () => held?.isConnected && held.getClientRects().length > 0 && !held.matches(':disabled');
  const isLost = () => document.activeElement === document.body && held !== null && !isThere();
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    held = target;
    if (!target.closest('#main')) return;
    const path: Place[] = [];
    for (let one: Element | null = target; one && one.tagName !== 'BODY'; one = one.parentElement)
      path.push([one, one.nextElementSibling, one.previousElementSibling]);
    places = path;
  };
  // Leaving an element is no loss. To look for it costs a layout: not at each move to another one.
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) return;
    queueMicrotask(() => {
      if (document.activeElement === document.body && !isLost()) held = null;
    });
  };
  const observer = new MutationObserver(() => {
    if (isLost()) moveOn(places, document.getElementById('main'));
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'style'] });
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
    observer.disconnect();
  };
}
