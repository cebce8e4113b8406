import type { ReactElement } from 'react';
import { Brand as Service } from '../../parts/brand.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { type Brand, isColour } from './brand-fields.tsx';

const t = settingsTexts.settings;

/** The page for the password of a link, as visitors see it with the brand. */
export function BrandPreview({ brand: { logo, colour, name, helpUrl } }: { brand: Brand }): ReactElement {
  // Without one, each of the schemes has its own.
  const own = isColour(colour) ? { background: colour, color: '#fff' } : undefined;
  return (
    <figure className="visitor" aria-label={t.preview}>
      <figcaption className="hint">{t.preview}</figcaption>
      <div aria-hidden="true">
        <span className="brand">
          {logo && <img src={logo} alt="" />}
          {name && <bdi>{name}</bdi>}
        </span>
        <div className="card stack near">
          <b>{t.page.title}</b>
          <p className="quiet">{t.page.text}</p>
          <span className="box">{t.page.label}</span>
          <span className="button" style={own}>
            {t.page.submit}
          </span>
        </div>
        <p className="quiet foot">
          {!logo && !name && (
            <span className="brand">
              <Service />
            </span>
          )}
          {helpUrl && <u>{t.page.help}</u>}
        </p>
      </div>
    </figure>
  );
}
