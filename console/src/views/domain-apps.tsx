import { type ReactElement, useState } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import { androidLines, appleLines, linesIn, parseAndroid, parseApple } from '../data/app-lines.ts';
import type { FieldErrors } from '../data/link-fields.ts';
import { useRead } from '../data/read.ts';
import { describeRefusal, type Outcome } from '../data/refusals.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import { DomainAppsDocument, type DomainAppsQuery, UpdateDomainDocument } from '../generated/documents.ts';
import { AreaField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Unread } from '../parts/notice.tsx';
import { useTexts } from '../parts/tied.ts';
import { settingsTexts } from '../settings-texts.ts';
import { texts } from '../texts.ts';

const t = settingsTexts.apps;

interface DomainAppsProps {
  readonly domain: { readonly id: string; readonly name: string };
  onClose(): void;
}

/** The apps that open the links of a domain on phones, in a dialog. */
export function DomainApps({ domain, onClose }: DomainAppsProps): ReactElement {
  const { data, fault, again } = useRead(DomainAppsDocument, { id: domain.id });
  const apps = data?.domain?.apps;
  if (apps) return <AppsForm {...{ domain, apps, onClose }} />;
  return (
    <Dialog title={t.title(domain.name)} onClose={onClose}>
      <Unread fault={fault} again={again} />
    </Dialog>
  );
}

type Apps = NonNullable<DomainAppsQuery['domain']>['apps'];

function AppsForm({ domain: { id, name }, apps, onClose }: DomainAppsProps & { apps: Apps }): ReactElement {
  const session = useSession();
  // What others save meanwhile does not change what is written here.
  const [given, tied] = useTexts({ apple: appleLines(apps.apple), android: androidLines(apps.android) });
  const [errors, setErrors] = useState<FieldErrors>({});
  const save = async (): Promise<Outcome> => {
    const input = { apps: { apple: parseApple(given.apple), android: parseAndroid(given.android) } };
    setErrors({});
    const outcome = (await write(session, UpdateDomainDocument, { id, input })).updateDomain;
    if (outcome.__typename !== 'ValidationError') return outcome;
    const found: Record<string, string> = {};
    const others = outcome.fields.filter((field) => {
      const [, kind = '', index = ''] = field.path;
      if (kind !== 'apple' && kind !== 'android') return true;
      const line = linesIn(given[kind])[Number(index)];
      const told = describeRefusal(field);
      found[kind] ??= line ? t.line(line.at, told) : told;
      return false;
    });
    setErrors(found);
    return { ...outcome, fields: others, message: '' };
  };
  const lines = (kind: 'apple' | 'android', label: string, hint: string) => (
    <AreaField
      {...{ label, hint, ...tied(kind, errors) }}
      className="code"
      rows={4}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
    />
  );
  return (
    <FormDialog
      title={t.title(name)}
      kinds={['DOMAIN']}
      done={texts.saved(name)}
      onClose={onClose}
      onSubmit={save}
      wide
    >
      {() => (
        <>
          <p className="hint">{t.lead}</p>
          {lines('apple', t.apple, t.appleHint)}
          {lines('android', t.android, t.androidHint)}
        </>
      )}
    </FormDialog>
  );
}
