/**
 * True if a key belongs to an input method, which composes a text with it. Safari ends the composition before the key that ends
 * it; that key has this code there, too.
 */
const isOfInputMethod = ({ isComposing, keyCode }: KeyboardEvent): boolean => isComposing || keyCode === 229;

/** The keys that send forms and close dialogs, also where nothing listens to them. */
const ACTING = ['Enter', 'Escape'];

/** Keeps the keys of input methods from everything in the page. Called once, before anything else listens. */
export function leaveKeysToInputMethods(): void {
  addEventListener(
    'keydown',
    (event) => {
      if (!isOfInputMethod(event)) return;
      event.stopImmediatePropagation();
      // Keyboards on screens compose all the time, and their keys have no place: “Go” still sends a form.
      if (event.code !== '' && ACTING.includes(event.key)) event.preventDefault();
    },
    { capture: true },
  );
}
