import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { attempt } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { announceKinds } from '../../data/bus.ts';
import { type BulkResult, changeMany, MANY } from '../../data/many-links.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { filledUtm, noUtm } from '../../data/utm.ts';
import { utmChanges } from '../../data/utm-changes.ts';
import { type LinkToChangeFragment, UtmTemplatesDocument } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { CheckField, SelectField } from '../../parts/field.tsx';
import { Skeleton } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { UtmFields } from '../../parts/utm-fields.tsx';
import { texts } from '../../texts.ts';

/** The number of changes that are shown. */
const MAX_SHOWN = 100;

interface BulkUtmProps {
  readonly count: number;
  /** Reads the links. */
  readonly read: (signal: AbortSignal) => Promise<LinkToChangeFragment[]>;
  onDone(result: BulkResult): void;
  onClose(): void;
}

/** Gives links the parameters of a campaign, after it has shown what that changes. */
export function BulkUtm({ count, read, onDone, onClose }: BulkUtmProps): ReactElement {
  const session = useSession();
  const templates =
    useRead(UtmTemplatesDocument, {}, { on: ['UTM_TEMPLATE'] }).data?.utmTemplates.nodes ?? [];
  const [links, setLinks] = useState<readonly LinkToChangeFragment[] | null>(null);
  const [templateId, setTemplateId] = useState('');
  const [values, setValues] = useState(noUtm);
  const [replaces, setReplaces] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef(new AbortController());
  const t = texts.utm;
  const readAll = useEffectEvent((signal: AbortSignal) =>
    attempt(MANY, async () => {
      const found = await read(signal);
      if (!signal.aborted) setLinks(found);
    }),
  );
  useEffect(() => {
    const reading = new AbortController();
    void readAll(reading.signal);
    return () => reading.abort();
  }, []);
  const changes = utmChanges(links ?? [], values, { replaces });
  const apply = async () => {
    stop.current = new AbortController();
    await attempt(MANY, async () =>
      onDone(
        await changeMany(
          session,
          changes.map(({ change }) => change),
          { onProgress: setProgress, signal: stop.current.signal },
          t.bulkDone,
        ),
      ),
    );
    setProgress(null);
    announceKinds('LINK');
  };
  return (
    <Dialog title={t.bulkTitle(count)} onClose={onClose} wide closedBy={progress ? 'none' : undefined}>
      <div className="bulk-utm stack">
        {templates.length > 0 && (
          <SelectField
            label={t.template}
            value={templateId}
            options={[
              { value: '', text: t.noTemplate },
              ...templates.map(({ id, name }) => ({ value: id, text: name })),
            ]}
            onValue={(id) => {
              const template = templates.find((one) => one.id === id);
              setTemplateId(id);
              setValues(template ? filledUtm(template, { alias: null, space: null, date: null }) : noUtm);
            }}
          />
        )}
        <UtmFields
          values={values}
          onValues={(patch) => setValues({ ...values, ...patch })}
          more={() => ({ hint: undefined })}
        />
        <p className="hint">
          {t.bulkLead} {t.placeholders}
        </p>
        <CheckField label={t.replaces} checked={replaces} onChecked={setReplaces} />
        {links === null ? (
          <Skeleton rows={2} />
        ) : changes.length === 0 ? (
          <p>{t.noChanges}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
          <section className="scroll" tabIndex={0} aria-label={t.after}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.before}</th>
                  <th scope="col">{t.after}</th>
                </tr>
              </thead>
              <tbody>
                {changes.slice(0, MAX_SHOWN).map(({ link, url, targets }) => (
                  <tr key={link.id}>
                    <td>
                      <Address of={link.url} />
                    </td>
                    <td>
                      <Address of={url} /> {targets > 0 && <small>{t.targetsToo(targets)}</small>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {changes.length > MAX_SHOWN && <p>{texts.history.further(changes.length - MAX_SHOWN)}</p>}
          </section>
        )}
        {progress ? (
          <ProgressBar progress={progress} name={texts.bulk.working} onStop={() => stop.current.abort()} />
        ) : (
          <div className="buttons end">
            <Button look="quiet" text={texts.cancel} onClick={onClose} />
            <Button
              text={t.change(changes.length)}
              disabled={changes.length === 0}
              onClick={() => void apply()}
            />
          </div>
        )}
      </div>
    </Dialog>
  );
}
