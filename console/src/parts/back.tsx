import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Icon } from './icon.tsx';

/** A way back, above the heading of a view. */
export const Back = ({ to, text }: { to: string; text: string }): ReactElement => (
  <Link href={to} className="back">
    <Icon name="back" />
    {text}
  </Link>
);
