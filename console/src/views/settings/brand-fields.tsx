import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { ColorInput } from '../../controls/color-input.tsx';
import { FilePicker } from '../../controls/file-picker.tsx';
import { readDataUrl } from '../../data/data-url.ts';
import type { FieldErrors } from '../../data/link-fields.ts';
import type { BrandInput, BrandOfFragment } from '../../generated/documents.ts';
import { Field, TextField, UrlField } from '../../parts/field.tsx';
import { settingsTexts } from '../../settings-texts.ts';

const t = settingsTexts.settings;

/** A brand in the form. */
export interface Brand {
  /** The address of the logo, or a data URL of a new one; null for none. */
  readonly logo: string | null;
  readonly colour: string;
  readonly name: string;
  readonly helpUrl: string;
}

export const noBrand: Brand = { logo: null, colour: '', name: '', helpUrl: '' };

export const readBrand = (brand: BrandOfFragment['brand'] | undefined): Brand => ({
  logo: brand?.logoUrl ? new URL(brand.logoUrl).pathname : null,
  colour: brand?.colour ?? '',
  name: brand?.name ?? '',
  helpUrl: brand?.helpUrl ?? '',
});

/** The changed fields, as they are sent. */
export const brandInput = (typed: Partial<Brand>): BrandInput =>
  Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || null]));

/** The colour of a brand without one. */
export const OWN_COLOUR = '#3a4fd8';

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** The most bytes of a logo, and its formats. */
const MAX_LOGO = 512_000;
const FORMATS = ['image/png', 'image/jpeg', 'image/webp'];

/** The fields of a brand. */
export function BrandFields({
  brand: { logo, colour, name, helpUrl },
  errors,
  onBrand,
}: {
  brand: Brand;
  /** By their names in the form. */
  errors: FieldErrors;
  onBrand: (patch: Partial<Brand>) => void;
}): ReactElement {
  const [isWrong, setWrong] = useState(false);
  const take = async (file: File) => {
    const isRight = file.size <= MAX_LOGO && FORMATS.includes(file.type);
    setWrong(!isRight);
    if (isRight) onBrand({ logo: await readDataUrl(file) });
  };
  const wrong = (field: keyof typeof t.wrong) => errors[field] && t.wrong[field];
  return (
    <>
      <Field label={t.logo} hint={t.logoHint} error={isWrong ? t.wrong.brandLogo : wrong('brandLogo')}>
        {(parts) => (
          <div className="buttons logo">
            {logo && <img src={logo} alt="" />}
            <FilePicker
              {...parts}
              accept={FORMATS.join()}
              isEmpty={!logo}
              onFile={(file) => void take(file)}
            />
            {logo && (
              <Button look="quiet small" text={t.removeLogo} onClick={() => onBrand({ logo: null })} />
            )}
          </div>
        )}
      </Field>
      <TextField
        {...{ label: t.brandName, hint: t.brandNameHint, maxLength: 60, value: name }}
        error={wrong('brandName')}
        onText={(name) => onBrand({ name })}
      />
      <Field label={t.colour} hint={t.colourHint} error={wrong('brandColour')}>
        {(parts) => (
          <ColorInput
            {...parts}
            pickLabel={t.pick}
            placeholder={OWN_COLOUR}
            maxLength={7}
            value={isColour(colour) ? colour : OWN_COLOUR}
            typed={colour}
            onText={(colour) => onBrand({ colour })}
          />
        )}
      </Field>
      <UrlField
        {...{ label: t.helpUrl, hint: t.helpUrlHint, value: helpUrl, placeholder: 'https://' }}
        error={wrong('brandHelpUrl')}
        onText={(helpUrl) => onBrand({ helpUrl })}
      />
    </>
  );
}
