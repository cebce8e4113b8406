import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { spaceNamed } from '../../data/named.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { ChoicesDocument, SpaceNameDocument } from '../../generated/documents.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { texts } from '../../texts.ts';
import { SpaceField } from '../link-form/space-field.tsx';
import type { BulkDialogProps } from './use-bulk.ts';

/** Asks which space the selected links go into. */
export function BulkSpace({
  count,
  onClose,
  onUpdate,
}: BulkDialogProps<{ spaceId: string | null }>): ReactElement {
  const session = useSession();
  const [id, setId] = useState('');
  const [typed, setTyped] = useState('');
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const t = texts.bulk;
  const move = (to: string | null, name: string | null) =>
    onUpdate({ spaceId: to }, (moved) => t.moved(moved, name));
  const submit = async () => {
    if (typed === '') {
      const { data } = await session.client.query(SpaceNameDocument, { id }).toPromise();
      move(id, data?.space?.name ?? texts.form.unknownSpace);
    } else {
      const space = await spaceNamed(session, typed.trim());
      if (!('id' in space)) return { __typename: 'ValidationError', ...space };
      move(space.id, space.name);
    }
    return { __typename: 'Link' };
  };
  return (
    <FormDialog
      title={t.space}
      action={t.confirm(t.move, count)}
      shown={['name']}
      isEmpty={id === '' && typed.trim() === ''}
      onClose={onClose}
      onSubmit={submit}
    >
      {(errors) => (
        <>
          <SpaceField
            value={id}
            typed={typed}
            spaces={spaces}
            onValue={(chosen, text) => {
              setId(chosen);
              setTyped(text);
            }}
            error={errors.name}
          />
          <div className="buttons">
            <Button
              look="quiet small"
              text={t.takeOut}
              onClick={() => {
                move(null, null);
                onClose();
              }}
            />
          </div>
        </>
      )}
    </FormDialog>
  );
}
