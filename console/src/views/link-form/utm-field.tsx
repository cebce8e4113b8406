import type { KeyboardEvent, ReactElement } from 'react';
import { Link } from 'wouter';
import { enteredSources, type FormProps, newAliases } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { filledUtm, makeUtm, noUtm, utcToday, utmIn, utmLine, withUtm } from '../../data/utm.ts';
import { UtmTemplatesDocument } from '../../generated/documents.ts';
import { Chips, without } from '../../parts/chips.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { UtmFields } from '../../parts/utm-fields.tsx';
import { texts } from '../../texts.ts';
import { trimPasted } from '../../words/format.ts';
import { Fold } from './fold.tsx';

interface UtmFieldProps {
  readonly fields: FormProps['fields'];
  /** The error of the template. */
  readonly error: string | undefined;
  readonly onChange: FormProps['onChange'];
  readonly spaces: readonly { id: string; name: string }[];
  readonly isNew: boolean;
}

/** The UTM parameters of the URL, and the template from which the service adds missing ones. */
export function UtmField({ fields, error, onChange, spaces, isNew }: UtmFieldProps): ReactElement {
  const templates =
    useRead(UtmTemplatesDocument, {}, { on: ['UTM_TEMPLATE'] }).data?.utmTemplates.nodes ?? [];
  const { alias, spaceId, targetType, utmOnTargets, utmTemplateId } = fields;
  const sources = enteredSources(fields);
  const t = texts.utm;
  const url = trimPasted(fields.url);
  const values = { ...utmIn(url), ...(sources.length > 0 && { source: sources.join(', ') }) };
  const template = templates.find(({ id }) => id === utmTemplateId);
  const known = {
    space: spaceId === '' ? '' : (spaces.find(({ id }) => id === spaceId)?.name ?? null),
    date: utcToday(),
  };
  // The values of a template depend on the alias of the link.
  const each = newAliases(fields).map((one) =>
    template ? filledUtm(template, { ...known, alias: one || null }) : noUtm,
  );
  const added = makeUtm((name) => [...new Set(each.map((one) => one[name]))].join(', '));
  const line = utmLine(makeUtm((name) => values[name] || added[name]));
  const options = [
    { value: '', text: t.noTemplate },
    ...templates.map(({ id, name }) => ({ value: id, text: name })),
    // A draft may name a template that was deleted.
    ...(utmTemplateId && !template ? [{ value: utmTemplateId, text: `#${utmTemplateId}` }] : []),
  ];
  return (
    <fieldset className="utm">
      <Fold title={t.title} value={line || t.none} isWrong={error !== undefined}>
        <p className="hint">{url === '' ? t.noUrl : t.from}</p>
        {options.length > 1 && (
          <SelectField
            label={t.template}
            value={utmTemplateId}
            options={options}
            onValue={(id) => onChange({ utmTemplateId: id })}
            hint={utmTemplateId ? t.templateHint : undefined}
            error={error}
          />
        )}
        <p>
          <Link href="/templates">{t.manage}</Link>
        </p>
        <UtmFields
          values={values}
          onValues={(patch) => onChange({ url: withUtm(url, patch) })}
          more={(name) => {
            if (name === 'source' && sources.length > 0) return { disabled: true, hint: t.sourceEach };
            const disabled = url === '';
            if (added[name] === '') return { disabled };
            if (values[name] === '') return { disabled, placeholder: added[name], hint: t.fromTemplate };
            return values[name] === added[name] ? { disabled } : { disabled, hint: t.insteadOf(added[name]) };
          }}
        />
        {(targetType !== 'NONE' || fields.rules.length > 0) && (
          <CheckField
            label={t.onTargets}
            checked={utmOnTargets}
            onChecked={(checked) => onChange({ utmOnTargets: checked })}
          />
        )}
        {isNew && (
          <Sources
            fields={fields}
            hint={
              sources.length > 0 && trimPasted(alias) !== ''
                ? t.sourcesAlias(newAliases(fields).join(', '))
                : t.sourcesHint
            }
            onChange={onChange}
          />
        )}
      </Fold>
    </fieldset>
  );
}

/** Sources, each of which gets a link. */
function Sources({
  fields,
  hint,
  onChange,
}: Pick<FormProps, 'fields' | 'onChange'> & { hint: string }): ReactElement {
  const { sources, sourceTyped } = fields;
  const t = texts.utm;
  const enter = (typed: string) =>
    onChange({ sources: enteredSources({ ...fields, sourceTyped: typed }), sourceTyped: '' });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    enter(sourceTyped);
  };
  return (
    <>
      <TextField
        label={t.sources}
        value={sourceTyped}
        onText={(text) => (/[,;\t\n]/.test(text) ? enter(text) : onChange({ sourceTyped: text.trimStart() }))}
        onKeyDown={onKeyDown}
        disabled={trimPasted(fields.url) === '' && sources.length === 0 && sourceTyped === ''}
        maxLength={2_000}
        spellCheck={false}
        autoCapitalize="off"
        hint={hint}
      />
      <Chips
        items={sources.map((source) => ({ id: source, name: source }))}
        onRemove={(source) => onChange({ sources: without(sources, source) })}
      />
    </>
  );
}
