import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

/**
 * A modal sheet at the right edge, over the whole page on phones. Its head and foot stay while its body scrolls. Its focus follows
 * the rules of dialogs.
 */
export function Sheet({
  form,
  foot,
  children,
  ...dialog
}: Pick<ComponentProps<typeof Dialog>, 'title' | 'onClose' | 'head' | 'wide' | 'closedBy'> & {
  /** The attributes of a form around the body and the foot. */
  form?: ComponentProps<'form'>;
  /** Its buttons, the main one last. */
  foot?: ReactNode;
  children: ReactNode;
}): ReactElement {
  const parts = (
    <>
      <div className="sheet-body">{children}</div>
      {foot !== undefined && <footer className="buttons end">{foot}</footer>}
    </>
  );
  return (
    <Dialog {...dialog} look="sheet">
      {form ? (
        <form noValidate {...form} className={`sheet-parts ${form.className ?? ''}`}>
          {parts}
        </form>
      ) : (
        <div className="sheet-parts">{parts}</div>
      )}
    </Dialog>
  );
}
