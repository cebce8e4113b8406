import type { ReactElement } from 'react';
import { Link } from 'wouter';

/** The parts of a view, each with an address. */
export function Tabs<Key extends string>({
  label,
  items,
  chosen,
}: {
  label: string;
  items: readonly { readonly key: Key; readonly name: string; readonly href: string }[];
  chosen: Key;
}): ReactElement {
  return (
    <nav className="tabs" aria-label={label}>
      {items.map(({ key, name, href }) => (
        <Link key={key} href={href} data-name={name} aria-current={key === chosen ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
