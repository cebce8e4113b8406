import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { Progress } from '../data/batches.ts';
import { emptying } from '../data/emptying.ts';
import { useSession } from '../data/session.ts';
import { write, writeLogged } from '../data/write.ts';
import {
  CreateTagDocument,
  DeleteTagDocument,
  MergeTagsDocument,
  type TagRowFragment,
  TagsDocument,
  UpdateTagDocument,
} from '../generated/documents.ts';
import { TagBadges } from '../parts/badge.tsx';
import { ColoredForm } from '../parts/colored-form.tsx';
import { Figures } from '../parts/figures.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { TagsChoice } from '../parts/tags-choice.tsx';
import { texts } from '../texts.ts';

export function TagsView(): ReactElement {
  const session = useSession();
  const [into, setInto] = useState<TagRowFragment | null>(null);
  const t = texts.tags;
  return (
    <>
      <RecordsView
        kind="TAG"
        title={t.title}
        words={t}
        document={TagsDocument}
        pageOf={({ tags }) => tags}
        Form={TagForm}
        actionsOf={(tag) => [{ name: t.merge, icon: 'merge', run: () => setInto(tag) }]}
        remove={(id, onProgress) =>
          emptying(session, { tags: { any: [id] } }, onProgress, async (long) => {
            const { data, changeIds } = await writeLogged(session, DeleteTagDocument, { id }, long);
            return { ...data.deleteTag, changeIds };
          })
        }
      >
        {(tag) => (
          <>
            <Link href={`/links?tags=${tag.id}`} className="grow name">
              <TagBadges tags={[tag]} />
            </Link>
            <Figures of={tag} list={`/links?tags=${tag.id}`} page={`/tags/${tag.id}`} />
          </>
        )}
      </RecordsView>
      {into && <MergeForm into={into} onClose={() => setInto(null)} />}
    </>
  );
}

function TagForm(props: RecordFormProps<TagRowFragment>): ReactElement {
  const session = useSession();
  return (
    <ColoredForm
      {...props}
      kind="TAG"
      words={texts.tags}
      save={async (input, tag) =>
        tag === null
          ? (await write(session, CreateTagDocument, { input })).createTag
          : (await write(session, UpdateTagDocument, { id: tag.id, input, ifUpdatedAt: tag.updatedAt }))
              .updateTag
      }
    />
  );
}

/** Asks which tags to merge into one, and says what happens to them. */
function MergeForm({ into, onClose }: { into: TagRowFragment; onClose: () => void }): ReactElement {
  const session = useSession();
  const [ids, setIds] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const [progress, setProgress] = useState<Progress | null>(null);
  const t = texts.tags;
  const merge = async () => {
    const missing = { __typename: 'ValidationError', fields: [{ path: ['ids'], messages: [] }] };
    if (ids.length === 0 || typed !== '') return missing;
    const { mergeTags } = await emptying(session, { tags: { any: [...ids] } }, setProgress, (long) =>
      write(session, MergeTagsDocument, { ids: [...ids], into: into.id }, long),
    );
    return mergeTags;
  };
  return (
    <FormDialog
      title={t.mergeTitle(into.name)}
      action={t.mergeNow(ids.length)}
      shown={['ids']}
      kinds={['TAG', 'LINK']}
      progress={progress}
      onClose={onClose}
      onSubmit={merge}
    >
      {(errors) => (
        <>
          <TagsChoice
            label={t.merged}
            ids={ids}
            typed={typed}
            except={into.id}
            onIds={(chosen, text) => {
              setIds(chosen);
              setTyped(text);
            }}
            error={errors.ids}
          />
          <p>{t.mergeWarning(into.name)}</p>
        </>
      )}
    </FormDialog>
  );
}
