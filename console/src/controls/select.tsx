import type { ComponentProps, ReactElement } from 'react';

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly text: string;
  /** The language of the text, if it is another one than the page's. */
  readonly lang?: string;
}

/** Options under a label. */
export interface OptionGroup<Value extends string = string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
}

export interface SelectProps<Value extends string>
  extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: Value;
  readonly options: readonly (Option<Value> | OptionGroup<Value>)[];
  readonly onValue: (value: Value) => void;
}

const Choices = ({ options }: { options: readonly Option[] }): ReactElement[] =>
  options.map(({ value, text, lang }) => (
    <option key={value} value={value} lang={lang}>
      {text}
    </option>
  ));

/** A choice of one of several. The browser's own element, whose list the style sheet draws where the browser lets it. */
export function Select<Value extends string>({
  value,
  options,
  onValue,
  ...attributes
}: SelectProps<Value>): ReactElement {
  const all = options.flatMap((one) => ('options' in one ? one.options : [one]));
  return (
    <select
      {...attributes}
      value={value}
      onChange={({ target }) => {
        const chosen = all.find((one) => one.value === target.value);
        if (chosen) onValue(chosen.value);
      }}
    >
      {options.map((one) =>
        'options' in one ? (
          <optgroup key={one.label} label={one.label}>
            <Choices options={one.options} />
          </optgroup>
        ) : (
          <Choices key={one.value} options={[one]} />
        ),
      )}
    </select>
  );
}

/** A select of a bar of filters: marked once a value is chosen. */
export function FilterSelect<Value extends string>({
  label,
  isSet,
  ...select
}: SelectProps<Value> & { label: string; isSet?: boolean }): ReactElement {
  const marked = isSet ?? select.value !== '';
  return <Select {...select} className={marked ? 'filter set' : 'filter'} aria-label={label} />;
}
