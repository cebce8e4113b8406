import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { announceKinds } from '../../data/bus.ts';
import { useRead } from '../../data/read.ts';
import type { Outcome } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { showToast } from '../../data/toasts.ts';
import { write } from '../../data/write.ts';
import {
  AccountBrandDocument,
  type LinkPrivacy,
  UpdateAccountDocument,
  type UpdateAccountMutation,
} from '../../generated/documents.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { useForm } from '../../parts/form.ts';
import { Unread } from '../../parts/notice.tsx';
import { RecordsHead } from '../../parts/records.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { type Brand, BrandFields, brandInput, noBrand, readBrand } from './brand-fields.tsx';
import { BrandPreview } from './brand-preview.tsx';

const t = settingsTexts.settings;

interface General {
  readonly name: string;
  readonly defaultPrivacy: LinkPrivacy;
}

/** The places of errors in the form. */
const shown = ['name', 'defaultPrivacy', 'brandLogo', 'brandColour', 'brandName', 'brandHelpUrl'];

/** A refusal with the names that the form has for the fields of a brand. */
const placed = (outcome: UpdateAccountMutation['updateAccount']): Outcome =>
  outcome.__typename === 'ValidationError'
    ? {
        ...outcome,
        fields: outcome.fields.map(({ path: [first = '', second = ''], ...field }) => ({
          ...field,
          path: [first + second.replace(/^./, (letter) => letter.toUpperCase())],
        })),
      }
    : outcome;

/** The account's name, its default privacy and its brand, which owners change. */
export function SettingsView(): ReactElement {
  const session = useSession();
  const mayChange = session.may('ACCOUNT');
  const { data, fault, again } = useRead(AccountBrandDocument, {}, { on: ['ACCOUNT'] });
  const [typed, setTyped] = useState<Partial<General>>({});
  const [typedBrand, setTypedBrand] = useState<Partial<Brand>>({});
  const { name, defaultPrivacy } = { ...session.viewer.account, ...typed };
  const brand = { ...readBrand(data?.viewer.account.brand), ...typedBrand };
  const change = (patch: Partial<General>) => setTyped((before) => ({ ...before, ...patch }));
  const changeBrand = (patch: Partial<Brand>) => setTypedBrand((before) => ({ ...before, ...patch }));
  const { errors, message, isBusy, submit } = useForm(
    { within: '.settings', shown },
    async () => {
      const input = { ...typed, brand: brandInput(typedBrand) };
      const { updateAccount } = await write(session, UpdateAccountDocument, { input });
      announceKinds('ACCOUNT');
      return placed(updateAccount);
    },
    () => {
      setTyped({});
      setTypedBrand({});
      showToast(t.saved);
    },
  );
  return (
    <>
      <RecordsHead title={texts.places.settings} lead={mayChange ? t.lead : t.readOnly} />
      <Unread fault={fault} again={again} isKept={data !== undefined} />
      {data && (
        <form className="settings stack" onSubmit={submit} noValidate>
          <fieldset className="card stack" disabled={!mayChange} aria-label={t.account}>
            <h2>{t.account}</h2>
            <div className="pair">
              <TextField
                {...{ label: t.accountName, hint: t.accountNameHint, maxLength: 100 }}
                value={name}
                error={errors.name}
                onText={(name) => change({ name })}
              />
              <SelectField
                {...{ label: t.defaultPrivacy, hint: t.defaultPrivacyHint, disabled: !mayChange }}
                value={defaultPrivacy}
                error={errors.defaultPrivacy}
                options={(['PUBLIC', 'PRIVATE'] as const).map((value) => ({
                  value,
                  text: texts.form.privacies[value],
                }))}
                onValue={(defaultPrivacy) => change({ defaultPrivacy })}
              />
            </div>
          </fieldset>
          <fieldset className="card stack" disabled={!mayChange} aria-label={t.brand}>
            <h2>{t.brand}</h2>
            <p className="hint">{t.brandLead}</p>
            <div className="branding">
              <div className="stack">
                <BrandFields brand={brand} errors={errors} onBrand={changeBrand} />
              </div>
              <BrandPreview brand={brand} />
            </div>
          </fieldset>
          {mayChange && (
            <div className="buttons">
              <p className="error" role="alert">
                {message}
              </p>
              {Object.values(brand).some(Boolean) && (
                <Button look="quiet" text={t.removeBrand} onClick={() => changeBrand(noBrand)} />
              )}
              <Button text={texts.save} type="submit" aria-disabled={isBusy} />
            </div>
          )}
        </form>
      )}
    </>
  );
}
