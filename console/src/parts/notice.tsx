import { type ReactElement, type ReactNode, useSyncExternalStore } from 'react';
import { Button } from '../controls/button.tsx';
import { away } from '../data/away.ts';
import { type Fault, mayBeOutage } from '../data/faults.ts';
import { faultText } from '../data/refusals.ts';
import { texts } from '../texts.ts';

interface FaultNoticeProps {
  readonly fault: Fault;
  again?(): void;
  /** True if nothing else in the page says that the service does not answer. */
  readonly isAlone?: boolean;
}

export function FaultNotice({ fault, again, isAlone = false }: FaultNoticeProps): ReactElement | null {
  const isTold = useSyncExternalStore(away.subscribe, away.get);
  // One message is enough; the data are read again without a button.
  if (isTold && mayBeOutage(fault) && !isAlone) return null;
  return (
    <div className="notice wrong" role="alert">
      <span>{faultText(fault)}</span>
      {again && fault.kind !== 'refused' && <Button look="quiet" text={texts.tryAgain} onClick={again} />}
    </div>
  );
}

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

/** Stands in place of data that are being read, or cannot be while the service is away. */
export function Unread({ fault, rows }: { fault: Fault | null; rows?: number }): ReactElement | null {
  if (!fault) return <Skeleton {...(rows && { rows })} />;
  return mayBeOutage(fault) ? (
    <p className="unread" role="status">
      {texts.unread}
    </p>
  ) : null;
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
