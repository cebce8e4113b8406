import { type ReactElement, useEffect, useRef } from 'react';

/** The wait under a pointer, in milliseconds. */
const HOVERED_FOR = 400;

/** Shows the name of a button without a text while the pointer rests on it, or the keyboard has led to it. */
export function Tooltips(): ReactElement {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = ref.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      if (tip?.matches(':popover-open')) tip.hidePopover();
    };
    const begin = ({ target }: Event, after: number) => {
      hide();
      const named =
        target instanceof Element
          ? target.closest<HTMLElement>('.bare[aria-label], .button[data-tip]')
          : null;
      // The text of some is hidden on phones.
      const button = named?.matches('.button') && getComputedStyle(named).fontSize !== '0px' ? null : named;
      const isOpen = button?.ariaExpanded === 'true';
      if (!tip || !button || button.title !== '' || isOpen) return;
      timer = setTimeout(() => {
        if (!button.isConnected) return;
        tip.textContent = button.dataset.tip ?? button.ariaLabel;
        tip.showPopover({ source: button });
      }, after);
    };
    const onOver = (event: PointerEvent) => event.pointerType === 'mouse' && begin(event, HOVERED_FOR);
    const onFocus = (event: FocusEvent) => {
      const { target, relatedTarget: from } = event;
      if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
      // A dialog that opens moves the focus by itself.
      const dialog = target.closest('dialog');
      if (!dialog || (from instanceof Element && dialog.contains(from))) begin(event, 0);
    };
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    for (const name of ['focusout', 'pointerdown', 'keydown']) document.addEventListener(name, hide, true);
    return () => {
      hide();
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      for (const name of ['focusout', 'pointerdown', 'keydown'])
        document.removeEventListener(name, hide, true);
    };
  }, []);
  return <div ref={ref} className="tooltip" popover="hint" aria-hidden="true" />;
}
