import { type FormEvent, type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { focusNow, focusSoon, showWrong } from '../../app/focus.ts';
import { Button } from '../../controls/button.tsx';
import { Later, Sheet } from '../../controls/sheet.tsx';
import { showFault } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { offerBack, useTakenBack } from '../../data/discarded.ts';
import { draftName, dropDraft, keepDraft, NEW, readDraft } from '../../data/drafts.ts';
import { changedFields } from '../../data/edit-state.ts';
import {
  enteredSources,
  type FieldErrors,
  fieldsOfDraft,
  type LinkFields,
  newFields,
  newLinkInput,
  newLinkInputs,
  toDraft,
} from '../../data/link-fields.ts';
import { hasTyped, namedAreThere, typedIn } from '../../data/named.ts';
import { readNow } from '../../data/read.ts';
import { errorsAfter, errorsBesides, linkErrors, type Refusal, unsendable } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { dismissAbout, showToast } from '../../data/toasts.ts';
import { write } from '../../data/write.ts';
import {
  CheckLinksDocument,
  CreateLinkDocument,
  CreateLinksDocument,
  type LinkRowFragment,
} from '../../generated/documents.ts';
import { AFTER_CLICK } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import { isAddress, trimPasted } from '../../words/format.ts';
import { LinkForm } from '../link-form/link-form.tsx';
import { DraftPreview } from '../link-form/link-preview.tsx';
import { SameDestination } from './same-destination.tsx';

const FORM = 'new-link-form';

/** The form of a new link in a sheet. What is typed stays while the sheet is closed. */
export function NewLinkSheet({
  isOpen,
  setOpen,
  pasted,
  onMade,
}: {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** A pasted URL, with which it begins. */
  pasted: { readonly url: string } | null;
  /** Called with new links; with none as they are requested. */
  onMade: (links: readonly LinkRowFragment[]) => void;
}): ReactElement | null {
  const session = useSession();
  const [, navigate] = useLocation();
  const t = texts.newLink;
  const draft = draftName(session, NEW);
  const empty = newFields(session.viewer.account);
  const [fields, setFields] = useState<LinkFields>(() => fieldsOfDraft(readDraft(draft)) ?? empty);
  const latest = useRef(fields);
  latest.current = fields;
  const [errors, setErrors] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const isEmpty = JSON.stringify(fields) === JSON.stringify(empty);
  const [wasKept] = useState(!isEmpty);
  const [isNoted, setNoted] = useState(wasKept);
  const close = () => {
    flushSync(() => setOpen(false));
    focusNow('#new-link');
  };
  useEffect(() => {
    if (isOpen) focusSoon('#new-url');
  }, [isOpen]);
  const begin = useEffectEvent((url: string) => {
    change({ url });
    focusSoon('#new-url');
  });
  useEffect(() => {
    if (pasted) begin(pasted.url);
  }, [pasted]);
  useEffect(() => {
    if (isEmpty) dropDraft(draft);
    else keepDraft(draft, toDraft(fields));
  }, [draft, fields, isEmpty]);

  const change = (patch: Partial<LinkFields>) => {
    setFields((before) => ({ ...before, ...patch }));
    setErrors((before) => errorsAfter(before, patch));
  };
  useTakenBack(draft, (typed) => {
    change(typed);
    setOpen(true);
  });
  const judgeUrl = () => {
    if (!isAddress(latest.current.url)) setErrors((before) => ({ url: texts.form.noScheme, ...before }));
  };
  /** Begins anew, but keeps texts that were typed since then. */
  const clear = (since: LinkFields) => {
    dismissAbout(draft);
    const typed = changedFields(latest.current, since);
    const isDone = Object.keys(typed).length === 0;
    // Kept also if the view of another account has replaced this one.
    if (isDone) dropDraft(draft);
    setFields({ ...empty, ...typed });
    setErrors({});
    setNoted(false);
    setOpen(!isDone);
  };
  const refuse = (wrong: FieldErrors) => showWrong('.new-link', () => setErrors(wrong));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    onMade([]);
    dismissAbout(draft);
    try {
      await namedAreThere();
      await send(latest.current);
    } finally {
      setBusy(false);
    }
  };
  const send = async (fields: LinkFields): Promise<void> => {
    const unsent = { ...(trimPasted(fields.url) === '' && { url: t.empty }), ...unsendable(fields) };
    if (Object.keys(unsent).length > 0)
      return refuse({ ...(await errorsBesides(session.client, fields)), ...unsent });
    const tell = (links: readonly LinkRowFragment[], left: readonly string[] | null) => {
      flushSync(() => {
        onMade(links);
        if (left) change({ sources: left, sourceTyped: '' });
        else clear(fields);
      });
      if (!left) focusNow('.created .button');
      announce(links.map(({ id }) => ({ kind: 'LINK', recordId: id, action: 'CREATED' })));
    };
    const tellWrong = (refusal: Refusal, alias = '') => {
      const { errors: wrong, besides } = linkErrors(refusal, fields);
      if (besides !== null) showToast(besides, { wrong: true, about: draft });
      const named = wrong.alias && alias && { alias: texts.labelled(alias, wrong.alias) };
      if (Object.keys(wrong).length > 0) refuse({ ...wrong, ...(named || {}) });
    };
    try {
      const sources = enteredSources(fields);
      const isOne = sources.length === 0;
      const inputs = isOne ? [newLinkInput(fields)] : newLinkInputs(fields);
      if (!isOne || hasTyped(fields)) {
        // All links or none, and no new space for a refused link.
        const { data } = await readNow(session.client, CheckLinksDocument, { inputs });
        const at = data?.checkLinks.findIndex((one) => one !== null) ?? -1;
        const refused = data?.checkLinks[at];
        if (refused) return tellWrong(refused, isOne ? '' : (inputs[at]?.alias ?? ''));
      }
      if (hasTyped(fields)) {
        const { patch, errors: wrong } = await typedIn(session, fields);
        change(patch);
        return Object.keys(wrong).length > 0 ? refuse(wrong) : await send({ ...fields, ...patch });
      }
      if (isOne) {
        const { createLink: result } = await write(session, CreateLinkDocument, {
          input: newLinkInput(fields),
        });
        return result.__typename === 'Link' ? tell([result], null) : tellWrong(result);
      }
      const { createLinks: results } = await write(session, CreateLinksDocument, { inputs });
      const left = sources.filter((_, index) => results[index]?.__typename !== 'Link');
      tell(
        results.flatMap((one) => (one.__typename === 'Link' ? [one] : [])),
        left.length === 0 ? null : left,
      );
      const failed = results.find((one) => one.__typename !== 'Link');
      if (failed) tellWrong(failed);
    } catch (error) {
      showFault(error, draft);
    }
  };
  const discard = () => {
    const lost = latest.current;
    flushSync(() => clear(lost));
    close();
    const typed = changedFields(lost, empty);
    if (Object.keys(typed).length === 0) return;
    const keep = () => keepDraft(draft, toDraft(lost));
    const open = () => {
      const path = `/console/${session.accountId}/links`;
      const replace = location.pathname === path;
      navigate(`~${path}${replace ? location.search : ''}`, { replace, state: { isNew: true } });
      focusSoon('#new-url');
    };
    offerBack({ name: draft, typed, told: t.discarded, keep, open });
  };
  const { url: urlError, ...rest } = errors;
  const many = enteredSources(fields).length;
  if (!isOpen) return null;
  const foot = (
    <div className="buttons end">
      {isNoted && !isEmpty && <span className="quiet grow">{t.kept}</span>}
      <Button
        look={isEmpty ? 'quiet' : 'quiet discard'}
        text={isEmpty ? texts.cancel : t.discard}
        onClick={discard}
      />
      <Button
        text={many > 1 ? texts.many.create(many) : t.create}
        type="submit"
        form={FORM}
        aria-disabled={isBusy}
      />
    </div>
  );
  return (
    <Sheet title={t.title} className="new-link" undecided=".new-link .discard" onClose={close} foot={foot}>
      <form id={FORM} className="stack" onSubmit={submit} noValidate>
        <div className="beside stack">
          <div>
            <label htmlFor="new-url">{texts.form.url}</label>
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
                onBlur={() => setTimeout(judgeUrl, AFTER_CLICK)}
              />
            </div>
            <p id="new-url-error" className="error" role="alert">
              {urlError}
            </p>
            <Later>
              <LinkForm fields={fields} errors={rest} onChange={change} />
            </Later>
          </div>
          <Later>
            <DraftPreview fields={fields} />
          </Later>
        </div>
        {/* Below the fields: they must not move under a click. */}
        <SameDestination url={fields.url} />
      </form>
    </Sheet>
  );
}
