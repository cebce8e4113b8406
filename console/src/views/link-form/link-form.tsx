import type { ReactElement } from 'react';
import { useRuleWarnings } from '../../data/asked-rules.ts';
import { type FormProps, filledTargets, hasErrors, privacies, titleFor } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { addressText } from '../../parts/address.tsx';
import { CheckField, PasswordField, SelectField, TextField, UrlField } from '../../parts/field.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { PublicPage } from '../../parts/public-page.tsx';
import { TagsChoice } from '../../parts/tags-choice.tsx';
import { tiedTo } from '../../parts/tied.ts';
import { texts } from '../../texts.ts';
import { atMoment, fromLocalInput, INCOMPLETE } from '../../words/format.ts';
import { AliasField } from './alias-field.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { Fold } from './fold.tsx';
import { nameOfPixel, PixelsField } from './pixels-field.tsx';
import { RulesField } from './rules-field.tsx';
import { SpaceField } from './space-field.tsx';
import { StartField } from './start-field.tsx';
import { UtmField } from './utm-field.tsx';

const PreviewFold = lazily(
  async () => (await import('./preview/preview-fold.tsx')).PreviewFold,
  <span hidden />,
);

/** The texts that plain fields have. */
type Text = 'title' | 'expiresAfter' | 'expiredUrl' | 'password' | 'privacyPassword';

/** All fields of a link but its URL. */
export function LinkForm({
  fields,
  errors,
  onChange,
  link,
}: FormProps & { link?: LinkWholeFragment }): ReactElement {
  const { data } = useRead(ChoicesDocument, {}, { on: ['SPACE', 'DOMAIN', 'PIXEL'] });
  const t = texts.form;
  const domains = data?.domains.nodes ?? [];
  const own = domains.find(({ shared }) => shared);
  const chosen = fields.domainId;
  const hosts = domains.map(({ id, name, verified }) => ({
    value: id,
    text: verified ? name : t.unverified(name),
  }));
  // A draft may have one that is gone.
  if (chosen !== '' && !hosts.some(({ value }) => value === chosen))
    hosts.push({ value: chosen, text: t.unknownDomain });
  const host =
    link?.domain.name ?? domains.find(({ id }) => id === chosen)?.name ?? own?.name ?? location.host;
  const clicks = link?.clicks ?? 0;
  const limit = Number(fields.expiresAfter);
  const isWrong = (...starts: string[]) => hasErrors(errors, starts);
  const hasPassword = (link?.hasPassword && !fields.removesPassword) || fields.password !== '';
  const tied = tiedTo<Text>(fields, onChange);
  const { targetType, pixelIds, rules } = fields;
  const warnings = useRuleWarnings(link, fields);
  const [source] = fields.sources;
  const endsAt = fields.expiresAt === INCOMPLETE ? null : fromLocalInput(fields.expiresAt);
  const names = [...(link?.pixels ?? []), ...(data?.pixels.nodes ?? [])];
  const startsAt = fields.startsAt === INCOMPLETE ? null : fromLocalInput(fields.startsAt);
  const line = (...parts: (string | false)[]) => parts.filter(Boolean).join(' · ');
  /** The contents of each fold in a few words. */
  const values = {
    start:
      line(
        startsAt !== null && texts.links.starts(atMoment(startsAt)),
        fields.redirectStatus !== '302' &&
          texts.labelled(texts.link.names.redirectStatus, fields.redirectStatus),
        fields.notes.trim(),
      ) || t.none.start,
    expiry:
      line(
        endsAt !== null && atMoment(endsAt),
        fields.expiresAfter && t.afterClicks(Number(fields.expiresAfter)),
        fields.expiredUrl && t.thenTo(addressText(fields.expiredUrl)),
      ) || t.none.expiry,
    protection: line(
      hasPassword ? t.withPassword : t.none.protection,
      texts.labelled(texts.links.statistics, t.privacies[fields.privacy]),
    ),
    targets:
      line(
        rules.length > 0 && t.rulesIn(rules.length),
        warnings.length > 0 && t.warningsIn(warnings.length),
        targetType !== 'NONE' &&
          t.targetsIn(t.targetTypes[targetType], filledTargets(fields.targets[targetType]).length),
      ) || t.targetTypes.NONE,
    pixels: pixelIds.map((id) => nameOfPixel(names, id)).join(', ') || t.none.pixels,
  };
  return (
    <div className="form">
      <div className="fields first-fields">
        <AliasField
          fields={fields}
          error={errors.alias ?? errors.domainId}
          onChange={onChange}
          link={link}
          host={host}
          hosts={hosts}
          ownId={own?.id ?? ''}
        />
        <TextField
          label={t.title}
          {...tied('title', errors)}
          hint={source !== undefined && fields.title.trim() && t.titleFor(titleFor(fields.title, source))}
          maxLength={255}
        />
        <SpaceField
          value={fields.spaceId}
          typed={fields.spaceTyped}
          own={link?.space}
          spaces={data?.spaces.nodes ?? []}
          onValue={(spaceId, spaceTyped) => onChange({ spaceId, spaceTyped })}
          error={errors.spaceId}
        />
        <TagsChoice
          label={texts.tags.field}
          ids={fields.tagIds}
          typed={fields.tagTyped}
          own={link?.tags}
          mayCreate
          onIds={(tagIds, tagTyped) => onChange({ tagIds, tagTyped })}
          error={errors.tagIds}
        />
      </div>
      <UtmField
        fields={fields}
        error={errors.utmTemplateId}
        onChange={onChange}
        spaces={[...(link?.space ? [link.space] : []), ...(data?.spaces.nodes ?? [])]}
        isNew={link === undefined}
      />
      <Fold
        title={t.targets}
        value={values.targets}
        isWrong={isWrong('targeting.', 'rules', 'ruleTests')}
        startsOpen={(link?.rules.length ?? 0) > 0}
      >
        <RulesField fields={fields} errors={errors} onChange={onChange} link={link} warnings={warnings} />
        <CheckField
          label={t.forwardsQuery}
          hint={t.forwardsHint}
          checked={fields.forwardsQuery}
          onChecked={(forwardsQuery) => onChange({ forwardsQuery })}
        />
      </Fold>
      <Fold
        title={t.start}
        value={values.start}
        isWrong={isWrong('startsAt', 'notes', 'redirectStatus')}
        startsOpen={Boolean(link?.notes)}
      >
        <StartField fields={fields} errors={errors} onChange={onChange} />
      </Fold>
      <Fold title={t.expiry} value={values.expiry} isWrong={isWrong('expiration.')}>
        <div className="pair">
          <ExpiryField fields={fields} error={errors['expiration.at']} onChange={onChange} />
          <TextField
            label={t.expiresAfter}
            inputMode="numeric"
            {...tied('expiresAfter', errors, 'expiration.clicks')}
            placeholder={t.noLimit}
            hint={fields.expiresAt && fields.expiresAfter && t.whicheverFirst}
            warning={limit > 0 && limit <= clicks ? t.usedUp(clicks) : null}
          />
        </div>
        <UrlField
          label={t.expiredUrl}
          {...tied('expiredUrl', errors, 'expiration.url')}
          hint={t.expiredHint}
        />
      </Fold>
      <Fold title={t.protection} value={values.protection} isWrong={isWrong('password', 'privacy')}>
        <PasswordField
          label={link?.hasPassword ? t.newPassword : t.password}
          {...tied('password', errors)}
          disabled={fields.removesPassword}
          hint={link?.hasPassword ? t.passwordStays : t.passwordHint}
        />
        {link?.hasPassword && (
          <CheckField
            label={t.removePassword}
            checked={fields.removesPassword}
            onChecked={(removesPassword) => onChange({ removesPassword, password: '' })}
          />
        )}
        <SelectField
          label={t.privacy}
          value={fields.privacy}
          options={privacies.map((value) => ({ value, text: t.privacies[value] }))}
          onValue={(privacy) => onChange({ privacy })}
          error={errors.privacy}
        />
        {link && <PublicPage link={link} />}
        {fields.privacy === 'PASSWORD' && (
          <PasswordField
            label={t.privacyPassword}
            {...tied('privacyPassword', errors)}
            hint={link?.hasPrivacyPassword ? t.passwordStays : undefined}
          />
        )}
      </Fold>
      <Fold title={t.pixels} value={values.pixels} isWrong={isWrong('pixelIds')}>
        <PixelsField
          ids={fields.pixelIds}
          typed={fields.pixelTyped}
          pixels={[...new Map(names.map((one) => [one.id, one])).values()]}
          onIds={(pixelIds, pixelTyped) => onChange({ pixelIds, pixelTyped })}
          error={errors.pixelIds}
        />
      </Fold>
      <PreviewFold fields={fields} errors={errors} onChange={onChange} host={host} />
    </div>
  );
}
