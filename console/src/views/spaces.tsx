import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { emptying } from '../data/emptying.ts';
import { useSession } from '../data/session.ts';
import { write, writeLogged } from '../data/write.ts';
import {
  CreateSpaceDocument,
  DeleteSpaceDocument,
  type SpaceRowFragment,
  SpacesDocument,
  UpdateSpaceDocument,
} from '../generated/documents.ts';
import { ColoredForm } from '../parts/colored-form.tsx';
import { Figures } from '../parts/figures.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { texts } from '../texts.ts';

export function SpacesView(): ReactElement {
  const session = useSession();
  return (
    <RecordsView
      kind="SPACE"
      title={texts.places.spaces}
      words={texts.spaces}
      document={SpacesDocument}
      pageOf={({ spaces }) => spaces}
      Form={SpaceForm}
      remove={(id, onProgress) =>
        emptying(session, { spaceId: id }, onProgress, async (long) => {
          const { data, changeIds } = await writeLogged(session, DeleteSpaceDocument, { id }, long);
          return { ...data.deleteSpace, changeIds };
        })
      }
    >
      {(space) => (
        <>
          <i className={`dot c${space.color}`} />
          <Link href={`/links?space=${space.id}`} className="grow name">
            <bdi>{space.name}</bdi>
          </Link>
          <Figures of={space} list={`/links?space=${space.id}`} page={`/spaces/${space.id}`} />
        </>
      )}
    </RecordsView>
  );
}

function SpaceForm(props: RecordFormProps<SpaceRowFragment>): ReactElement {
  const session = useSession();
  return (
    <ColoredForm
      {...props}
      kind="SPACE"
      words={texts.spaces}
      save={async (input, space) =>
        space === null
          ? (await write(session, CreateSpaceDocument, { input })).createSpace
          : (await write(session, UpdateSpaceDocument, { id: space.id, input, ifUpdatedAt: space.updatedAt }))
              .updateSpace
      }
    />
  );
}
