import { type ReactElement, useRef } from 'react';
import { flushSync } from 'react-dom';
import { focusNow } from '../../app/focus.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { Choice } from '../../controls/choice.tsx';
import {
  type FormProps,
  type LinkFields,
  type TargetField,
  type TargetList,
  targetNames,
  targetTypes,
} from '../../data/link-fields.ts';
import { targetChoices } from '../../data/target-choices.ts';
import { SelectField, UrlField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { type OfferBack, withEntry } from './use-removal.ts';

/** Different destinations for different visitors. */
export function TargetsField({
  fields,
  errors,
  onChange,
  offerBack,
}: FormProps & { offerBack: OfferBack }): ReactElement {
  const { targetType, targets } = fields;
  const t = texts.form;
  return (
    <>
      <SelectField
        label={t.targetType}
        value={targetType}
        options={targetTypes.map((value) => ({ value, text: t.targetTypes[value] }))}
        onValue={(type) => {
          const isFresh = type !== 'NONE' && targets[type].length === 0;
          flushSync(() =>
            onChange({
              targetType: type,
              ...(isFresh && {
                targets: { ...targets, [type]: [{ key: '', url: type === 'ROTATION' ? fields.url : '' }] },
              }),
            }),
          );
          document.querySelector('.targets')?.scrollIntoView({ block: 'nearest' });
        }}
        hint={targetType !== 'NONE' && t.targetHints[targetType]}
        error={errors['targeting.type']}
      />
      {targetType !== 'NONE' && (
        <Targets
          key={targetType}
          list={targetType}
          targets={targets[targetType]}
          errors={errors}
          onTargets={(changed) => onChange({ targets: { ...targets, [targetType]: changed } })}
          onRemove={(index) => {
            const before = targets[targetType];
            const left = before.toSpliced(index, 1);
            onChange({ targets: { ...targets, [targetType]: left } });
            const back = ({ targets: now }: LinkFields) => ({
              targetType,
              targets: {
                ...now,
                [targetType]: withEntry(now[targetType], [before, left], index, ({ key, url }) => key || url),
              },
            });
            offerBack(t.targetRemoved(index + 1), back, `.target:nth-child(${index + 1}) input`);
          }}
        />
      )}
    </>
  );
}

function Targets({
  list,
  targets,
  errors,
  onTargets,
  onRemove,
}: {
  list: TargetList;
  targets: readonly TargetField[];
  errors: FormProps['errors'];
  onTargets: (targets: TargetField[]) => void;
  onRemove: (index: number) => void;
}): ReactElement {
  const t = texts.form;
  const [path, keyName] = targetNames[list];
  const choices = targetChoices(list);
  // A choice is reported after the click and rendered later still: keys in between must not undo it.
  const latest = useRef(targets);
  latest.current = targets;
  const set = (index: number, patch: Partial<TargetField>) => {
    latest.current = latest.current.map((one, at) => (at === index ? { ...one, ...patch } : one));
    onTargets([...latest.current]);
  };
  return (
    <div className="targets stack near">
      {targets.map(({ key, url, typed = '' }, index) => {
        const at = `targeting.${path}.${index}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: targets have no other identity, and their inputs no state
          <div className="target" key={index}>
            {list !== 'ROTATION' && (
              <Choice
                label={t.keys[list]}
                items={choices.filter(({ id }) => id === key || !targets.some((one) => one.key === id))}
                taken={choices.filter(({ id }) => id !== key && targets.some((one) => one.key === id))}
                value={choices.find(({ id }) => id === key) ?? (key === '' ? null : { id: key, name: key })}
                typed={typed}
                onValue={(item, text) => set(index, { key: item?.id ?? '', typed: text || undefined })}
                error={errors[`${at}.${keyName}`]}
              />
            )}
            <UrlField
              label={t.targetUrl}
              value={url}
              onText={(text) => set(index, { url: text })}
              error={errors[list === 'ROTATION' ? at : `${at}.url`]}
            />
            <IconButton icon="trash" name={t.removeTarget(index + 1)} onClick={() => onRemove(index)} />
          </div>
        );
      })}
      <Button
        look="quiet small"
        icon="plus"
        text={t.addTarget}
        onClick={() => {
          flushSync(() => onTargets([...targets, { key: '', url: '' }]));
          focusNow('.target:nth-last-child(2) input');
        }}
      />
    </div>
  );
}
