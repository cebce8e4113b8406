import { type FormEvent, type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { focusNow, showWrong } from '../../app/focus.ts';
import { showFault } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { draftName, dropDraft, keepDraft, NEW, readDraft } from '../../data/drafts.ts';
import { changedFields } from '../../data/edit-state.ts';
import {
  draftOf,
  emptyFields,
  type FieldErrors,
  fieldsOfDraft,
  type LinkFields,
  newLinkOf,
} from '../../data/link-fields.ts';
import { spaceIsThere } from '../../data/new-space.ts';
import { errorsAfter, errorsBesides, linkErrors, unsendable } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { CreateLinkDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { trimPasted } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Skeleton } from '../../parts/notice.tsx';
import { dismissAbout, showToast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { Created } from './created.tsx';
import { SameDestination } from './same-destination.tsx';

const LinkForm = lazily(
  async () => (await import('../link-form/link-form.tsx')).LinkForm,
  <Skeleton rows={2} />,
);

/** A new link: one field, and all others when they are wanted. */
export function NewLink({
  isOpen,
  onOpen,
}: {
  isOpen: boolean;
  onOpen: (open: boolean) => void;
}): ReactElement {
  const session = useSession();
  const t = texts.newLink;
  const draft = draftName(session, NEW);
  const [fields, setFields] = useState<LinkFields>(() => fieldsOfDraft(readDraft(draft)) ?? emptyFields);
  const latest = useRef(fields);
  latest.current = fields;
  const [errors, setErrors] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<LinkWholeFragment | null>(null);
  const isEmpty = JSON.stringify(fields) === JSON.stringify(emptyFields);
  const [wasKept] = useState(!isEmpty);
  const [isNoted, setNoted] = useState(wasKept);
  const hasMore = JSON.stringify({ ...fields, url: '' }) !== JSON.stringify(emptyFields);

  const openKept = useEffectEvent(() => {
    if (hasMore) onOpen(true);
  });
  useEffect(() => openKept(), []);
  useEffect(() => {
    if (isEmpty) dropDraft(draft);
    else keepDraft(draft, draftOf(fields));
  }, [draft, fields, isEmpty]);

  const change = (patch: Partial<LinkFields>) => {
    setFields((before) => ({ ...before, ...patch }));
    setErrors((before) => errorsAfter(before, patch));
  };
  /** Begins anew, but keeps what was typed since then. */
  const clear = (since: LinkFields) => {
    dismissAbout(draft);
    setFields((before) => ({ ...emptyFields, ...changedFields(before, since) }));
    setErrors({});
    setNoted(false);
    onOpen(false);
  };
  const refuse = (wrong: FieldErrors) =>
    showWrong('.new-link', () => {
      setErrors(wrong);
      if (Object.keys(wrong).some((path) => path !== 'url')) onOpen(true);
    });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setMade(null);
    dismissAbout(draft);
    try {
      await spaceIsThere();
      await send(latest.current);
    } finally {
      setBusy(false);
    }
  };
  const send = async (fields: LinkFields) => {
    const unsent = { ...(trimPasted(fields.url) === '' && { url: t.empty }), ...unsendable(fields) };
    if (Object.keys(unsent).length > 0)
      return refuse({ ...(await errorsBesides(session.client, fields)), ...unsent });
    try {
      const { createLink: result } = await write(session, CreateLinkDocument, { input: newLinkOf(fields) });
      if (result.__typename === 'Link') {
        flushSync(() => {
          setMade(result);
          clear(fields);
        });
        focusNow('.created .button');
        announce([{ kind: 'LINK', recordId: result.id, action: 'CREATED' }]);
      } else {
        const { errors: wrong, besides } = linkErrors(result, fields);
        if (besides !== null) showToast(besides, { wrong: true, about: draft });
        if (Object.keys(wrong).length > 0) refuse(wrong);
      }
    } catch (error) {
      showFault(error, draft);
    }
  };
  const { url: urlError, ...rest } = errors;
  return (
    <section className="card new-link" aria-label={t.title}>
      <form onSubmit={submit} noValidate>
        <div className="one-field">
          <Icon name="link" />
          <input
            id="new-url"
            type="url"
            inputMode="url"
            value={fields.url}
            placeholder={t.placeholder}
            aria-label={t.url}
            aria-invalid={urlError !== undefined}
            aria-describedby="new-url-error"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ url: event.target.value })}
          />
          <button type="submit" className="button" aria-disabled={isBusy}>
            {t.create}
          </button>
        </div>
        <p id="new-url-error" className="error" role="alert">
          {urlError}
        </p>
        <div className="under">
          <button
            type="button"
            className="button text"
            aria-expanded={isOpen}
            onClick={() => onOpen(!isOpen)}
          >
            {isOpen ? t.less : t.more}
          </button>
          {isNoted && !isEmpty && <span className="quiet">{t.kept}</span>}
          {!isEmpty && (
            <button
              type="button"
              className="button text"
              onClick={() => {
                clear(fields);
                focusNow('#new-url');
              }}
            >
              {t.discard}
            </button>
          )}
          <span className="grow" />
          <Link href="/many" className="button text">
            <Icon name="import" /> {t.many}
          </Link>
        </div>
        {isOpen && (
          <>
            <LinkForm fields={fields} errors={rest} onChange={change} />
            <div className="buttons end">
              <button type="submit" className="button" aria-disabled={isBusy}>
                {t.create}
              </button>
            </div>
          </>
        )}
        {/* Below the fields, which must not move while somebody is about to click one. */}
        <SameDestination url={fields.url} />
      </form>
      {made && <Created link={made} onClose={() => setMade(null)} />}
    </section>
  );
}
