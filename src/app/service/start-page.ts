import type { BrandColumns } from '../../domain/access/brand.ts';
import { startStyle } from '../../generated/look.ts';
import {
  ICON,
  newNonce,
  type Page,
  renderBrand,
  serviceMark,
  writeHead,
  writePolicy,
} from '../../redirect/pages.ts';
import { textsFor } from '../../redirect/translations.ts';
import type { Config } from '../config.ts';

/** The page at `/` of hosts for people, for visitors. It leads to the console, and to no page for developers. */
export function startPage(
  { console, publicStatistics }: Pick<Config, 'console' | 'publicStatistics'>,
  acceptLanguage: string,
  brand: BrandColumns | null,
): Page {
  const nonce = newNonce();
  const { start, root } = textsFor(acceptLanguage).texts;
  const { style, mark, help } = renderBrand(brand, acceptLanguage);
  const cards = [
    console ? `<a class="card" href="/console"><b>${start.console}</b>${start.consoleText}</a>` : '',
    publicStatistics ? `<div class="card"><b>${start.statistics}</b>${start.statisticsText}</div>` : '',
  ]
    .filter(Boolean)
    .map((card) => `<li>${card}</li>`);
  const html = `${writeHead(acceptLanguage, start.title, startStyle + style, nonce)}
</head>
<body>
<main>
${mark || serviceMark}
<h1>${start.title}</h1>
<p>${root}</p>
${cards.length === 0 ? '' : `<ul class="cards">\n${cards.join('\n')}\n</ul>\n`}</main>
${help === '' ? '' : `<footer>${help}</footer>\n`}</body>
</html>
`;
  return { html, contentSecurityPolicy: writePolicy(nonce, ICON) };
}
