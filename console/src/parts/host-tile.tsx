import type { ReactElement } from 'react';
import { tileOf } from './address-parts.ts';

/** A tile with the letter of a destination's host. Nobody is asked for an icon. */
export function HostTile({ of }: { of: string }): ReactElement {
  const { letter, color } = tileOf(of);
  return (
    <span className={`host-tile c${color}`} aria-hidden="true">
      {letter}
    </span>
  );
}
