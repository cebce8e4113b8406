import type { ReactElement } from 'react';
import { ErrorNote } from '../../../parts/field.tsx';

/** The error of a group of fields. It takes the focus after a refusal, since no field of the group is wrong by itself. */
export function GroupError({ id, error }: { id: string; error: string | undefined }): ReactElement {
  return (
    <div tabIndex={-1} data-wrong={error === undefined ? undefined : true}>
      <ErrorNote id={id} error={error} />
    </div>
  );
}
