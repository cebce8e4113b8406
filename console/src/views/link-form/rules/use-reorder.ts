import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react';

/** An item that is dragged, and the place before which it would come. */
export interface Drag {
  readonly from: number;
  readonly to: number;
}

/** The handlers of the button by which an item is moved. */
export interface Handle {
  onPointerDown(event: PointerEvent<HTMLElement>): void;
  onPointerMove(event: PointerEvent<HTMLElement>): void;
  onPointerUp(): void;
  onPointerCancel(): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
}

/** The place of a list before which something at this height belongs. */
function placeAt(list: HTMLElement | null, y: number): number {
  const items = [...(list?.children ?? [])];
  const at = items.findIndex((item) => {
    const { top, height } = item.getBoundingClientRect();
    return y < top + height / 2;
  });
  return at === -1 ? items.length : at;
}

/** Moves the items of a list by a pointer or by keys. Nothing moves before it is dropped: the pointer would lose what it holds. */
export function useReorder(
  list: RefObject<HTMLElement | null>,
  onMove: (from: number, to: number) => void,
): { readonly drag: Drag | null; handle(index: number): Handle } {
  const [drag, setDrag] = useState<Drag | null>(null);
  const handle = (index: number): Handle => ({
    onPointerDown({ button, currentTarget, pointerId }) {
      if (button !== 0) return;
      currentTarget.setPointerCapture(pointerId);
      setDrag({ from: index, to: index });
    },
    onPointerMove({ clientY }) {
      if (drag !== null) setDrag({ ...drag, to: placeAt(list.current, clientY) });
    },
    onPointerUp() {
      if (drag === null) return;
      setDrag(null);
      const to = drag.to > drag.from ? drag.to - 1 : drag.to;
      if (to !== drag.from) onMove(drag.from, to);
    },
    onPointerCancel: () => setDrag(null),
    onKeyDown(event) {
      if (event.key === 'Escape' && drag !== null) {
        event.stopPropagation();
        setDrag(null);
      }
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      onMove(index, index + by);
    },
  });
  return { drag, handle };
}
