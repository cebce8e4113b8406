import { type ReactElement, type ReactNode, useSyncExternalStore } from 'react';
import { Button } from '../controls/button.tsx';
import { away } from '../data/away.ts';
import { type Fault, mayBeOutage } from '../data/faults.ts';
import { faultText } from '../data/refusals.ts';
import { texts } from '../texts.ts';

interface EmptyProps {
  readonly title: string;
  /** The name of the button that makes the first one. */
  readonly create?: string | undefined;
  readonly onCreate?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** Stands in place of an empty list. */
export function Empty({ title, create, onCreate, children }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {create !== undefined && <Button text={create} onClick={onCreate} />}
    </div>
  );
}

interface FailureProps {
  readonly text: ReactNode;
  /** The button that mends it, if one does. */
  readonly action?: { readonly name: string; run(): void } | null;
  readonly role?: 'alert' | 'status';
}

/** A card in place of a view, or of a part of one, that could not be loaded. */
export function Failure({ text, action, role = 'alert' }: FailureProps): ReactElement {
  return (
    <div className="card empty wrong" role={role}>
      <h2>{texts.notLoaded}</h2>
      <p>{text}</p>
      {action && <Button look="quiet" text={action.name} onClick={action.run} />}
    </div>
  );
}

interface UnreadProps {
  readonly fault: Fault | null;
  again(): void;
  /** The number of placeholders. */
  readonly rows?: number;
  /** True above data that were read before. */
  readonly isKept?: boolean;
  /** True if nothing else in the page says that the service does not answer. */
  readonly isAlone?: boolean;
}

/** Stands in place of data: placeholders while they are being read, and a card if that fails. Data that are kept get a line above. */
export function Unread({ fault, again, rows, isKept, isAlone }: UnreadProps): ReactElement | null {
  const isAway = useSyncExternalStore(away.subscribe, away.get);
  if (!fault) return isKept ? null : <Skeleton {...(rows && { rows })} />;
  const isTold = isAway && mayBeOutage(fault) && !isAlone;
  // One message of an outage is enough.
  if (isTold && isKept) return null;
  const action = fault.kind === 'refused' ? null : { name: texts.tryAgain, run: again };
  if (!isKept)
    return isTold ? (
      <Failure text={texts.unread} action={action} role="status" />
    ) : (
      <Failure text={faultText(fault)} action={action} />
    );
  return (
    <div className="notice wrong" role="alert">
      <span>{faultText(fault)}</span>
      {action && <Button look="quiet small" text={action.name} onClick={again} />}
    </div>
  );
}

/** Placeholders for rows that are being read, of their height. */
export function Skeleton({ rows = 8 }: { rows?: number }): ReactElement {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <div key={index} />
      ))}
    </div>
  );
}
