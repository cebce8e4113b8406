import { type ReactElement, useState } from 'react';
import { announceKinds } from '../../data/bus.ts';
import { createSpace } from '../../data/new-space.ts';
import { useSession } from '../../data/session.ts';
import { NameField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { texts } from '../../texts.ts';

/** Asks for the name of a new space, into which the selected links go. */
export function BulkSpace({
  color,
  onClose,
  onMade,
}: {
  color: number;
  onClose: () => void;
  onMade: (space: { id: string; name: string }) => void;
}): ReactElement {
  const session = useSession();
  const [name, setName] = useState('');
  const create = async () => {
    const outcome = await createSpace(session, name, color);
    announceKinds('SPACE');
    if (outcome.__typename === 'Space') onMade(outcome);
    return outcome;
  };
  const t = texts.spaces;
  return (
    <FormDialog
      title={t.create}
      action={texts.bulk.move}
      shown={['name']}
      onClose={onClose}
      onSubmit={create}
    >
      {(errors) => <NameField label={t.name} value={name} onText={setName} error={errors.name} />}
    </FormDialog>
  );
}
