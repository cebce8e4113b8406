import type { ReactElement } from 'react';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { CreateSpaceDocument } from '../../generated/documents.ts';
import { ColoredForm } from '../../parts/colored-form.tsx';
import { texts } from '../../texts.ts';

/** Asks for a new space, into which the selected links go. */
export function BulkSpace({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (space: { id: string; name: string }) => void;
}): ReactElement {
  const session = useSession();
  return (
    <ColoredForm
      record={null}
      dialog={{ title: texts.spaces.create, action: texts.bulk.move, onClose }}
      kind="SPACE"
      words={texts.spaces}
      save={async (input) => {
        const { createSpace: made } = await write(session, CreateSpaceDocument, { input });
        if (made.__typename === 'Space') onMade(made);
        return made;
      }}
    />
  );
}
