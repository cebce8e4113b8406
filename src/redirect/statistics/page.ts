import type { BrandColumns } from '../../domain/access/brand.ts';
import { qrCodeSvg } from '../../domain/link/qr-code.ts';
import {
  type PublicDimension,
  type PublicStatistics,
  pageLengths,
} from '../../domain/statistics/public-statistics.ts';
import type { StatisticsTop } from '../../domain/statistics/statistics.ts';
import { shownAddress } from '../../engine/rules/url.ts';
import { isolated } from '../../engine/tools/bidirectional.ts';
import { statisticsStyle } from '../../generated/look.ts';
import { escapeHtml, newNonce, type Page, renderBrand, serviceMark, writePolicy } from '../pages.ts';
import { fill } from '../translations.ts';
import { drawChart } from './chart.ts';
import { type Locale, localeFor } from './locale.ts';

/** A collapsed table with a chart's numbers. The first cell of a row is HTML. */
function renderTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { texts }: Locale,
): string {
  const heads = head.map((text) => `<th scope="col">${escapeHtml(text)}</th>`);
  const lines = rows.map(([first = '', ...cells]) => {
    const numbers = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`);
    return `<tr><th scope="row">${first}</th>${numbers.join('')}</tr>`;
  });
  return `<details><summary>${texts.table}<span class="unseen">${texts.colon}${escapeHtml(title)}</span></summary>
<table><caption class="unseen">${escapeHtml(title)}</caption><thead><tr>${heads.join('')}</tr></thead>
<tbody>${lines.join('\n')}</tbody></table></details>`;
}

function renderDays(shown: PublicStatistics, locale: Locale): string {
  const { days } = shown;
  const { texts } = locale;
  const rows = days.map(({ start, clicks, visitors, bots }, index) => [
    escapeHtml(locale.day(start)) + (index === days.length - 1 ? ` (${texts.running})` : ''),
    ...[clicks, visitors, bots].map((count) => (count === null ? '–' : locale.number(count))),
  ]);
  const head = [texts.day, texts.clicks, texts.visitors, texts.bots];
  return `<section class="wide" aria-labelledby="days">
<header><h2 id="days">${texts.perDay}</h2><p class="key" aria-hidden="true"><span class="clicks">${texts.clicks}</span>
<span class="visitors">${texts.visitors}</span> <span class="today">${texts.unfinished}</span></p></header>
${drawChart(shown, locale)}
${renderTable(texts.perDay, head, rows.reverse(), locale)}
</section>`;
}

const DAY = 86_400_000;

/** From how many characters on a destination is cut in the middle, if there is too little room, and how many of its end stay. */
const CUT_FROM = 20;
const KEPT_END = 12;

/** A value, and its name as a text. */
interface Shown {
  readonly value: string | null;
  readonly name: string;
  readonly clicks: number;
}

/** Dimensions whose values others choose freely: they are kept from changing the order of what is around them. */
const isTheirs = (by: PublicDimension, { value }: Shown): boolean =>
  value !== null && (by === 'DESTINATION' || by === 'REFERRER');

/** The name of a value in a list. Destinations often differ only at their ends. */
function chooseName(by: PublicDimension, one: Shown): string {
  if (!isTheirs(by, one)) return `<span>${escapeHtml(one.name)}</span>`;
  const theirs = (text: string) => `<span><bdi>${escapeHtml(text)}</bdi></span>`;
  const characters = Array.from(one.name);
  if (by !== 'DESTINATION' || characters.length < CUT_FROM) return theirs(one.name);
  const [start, end] = [characters.slice(0, -KEPT_END), characters.slice(-KEPT_END)];
  return theirs(start.join('')) + theirs(end.join(''));
}

/** The name of a value in a table: that of a destination in full. */
function chooseFullName(by: PublicDimension, one: Shown, { texts }: Locale): string {
  if (!isTheirs(by, one)) return escapeHtml(one.name);
  const theirs = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;
  if (by !== 'DESTINATION') return theirs(one.name);
  const { scheme, place, user } = shownAddress(one.value ?? '');
  return (
    theirs(scheme + place) +
    (user === null ? '' : ` <small>${texts.user}${texts.colon}${theirs(user)}</small>`)
  );
}

/** The text in place of a list without values, which leaves out the running day. */
function explainMissing({ days }: PublicStatistics, { texts, day }: Locale): string {
  const today = days.at(-1);
  if (!today || today.clicks === 0) return texts.nothing;
  return escapeHtml(fill(texts.later, { day: day(new Date(today.start.getTime() + DAY)) }));
}

/**
 * One dimension: a bar for each value, in proportion to its share; or a text, if there are none.
 * @param whole all clicks, also those of which nothing was recorded
 */
function renderBars(
  by: PublicDimension,
  { rows, others }: StatisticsTop,
  whole: number,
  locale: Locale,
  missing: string,
): string {
  const { texts } = locale;
  const title = texts.dimensions[by];
  const id = by.toLowerCase();
  const recorded = rows.reduce((sum, { clicks }) => sum + clicks, others);
  const all = Math.max(recorded, whole);
  const shown: Shown[] = rows.map(({ value, clicks }) => {
    const isAddress = by === 'DESTINATION' && value !== null;
    const name = isAddress ? shownAddress(value).place.replace(/^([^/]*)\/$/, '$1') : locale.value(by, value);
    return { value, name, clicks };
  });
  if (others > 0) shown.push({ value: null, name: texts.others, clicks: others });
  if (all > recorded) shown.push({ value: null, name: texts.unrecorded, clicks: all - recorded });
  const longest = Math.max(...shown.map(({ clicks }) => clicks));
  const heading = `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>`;
  if (recorded === 0) return `${heading}\n<p>${missing}</p></section>`;
  const bars = shown.map((one) => {
    const { clicks } = one;
    const width = `${Math.round((clicks / longest) * 1000) / 10}%`;
    return (
      `<li><svg width="100%" height="100%"><rect width="${width}" height="100%" rx="4"/></svg>` +
      `<span class="name">${chooseName(by, one)}</span><span class="count">${locale.number(clicks)}</span>` +
      `<span class="share">${locale.share(clicks / all)}</span></li>`
    );
  });
  const altText = shown
    .map((one) => `${isTheirs(by, one) ? isolated(one.name) : one.name} ${locale.share(one.clicks / all)}`)
    .join(', ');
  const cells = shown.map((one) => [
    chooseFullName(by, one, locale),
    ...[locale.number(one.clicks), locale.share(one.clicks / all)],
  ]);
  return `${heading}
<div role="img" aria-label="${escapeHtml(`${title}${texts.colon}${altText}`)}"><ol class="bars" aria-hidden="true">
${bars.join('\n')}
</ol></div>
${renderTable(title, [texts.value, texts.clicks, texts.share], cells, locale)}
</section>`;
}

/** The text instead of charts for a period without clicks. */
function renderEmpty({ texts }: Locale, disabled: boolean): string {
  const { title, earlier, ...why } = texts.empty;
  return `<section class="empty" aria-labelledby="empty"><h2 id="empty">${title}</h2>
<p>${disabled ? why.disabled : why.active}</p>
<p>${earlier}</p></section>`;
}

/** The buttons of the short link: its QR code and, if scripts run and may write to the clipboard, a copy of it. */
function renderUses(shortUrl: string, nonce: string, { texts }: Locale): string {
  const code = Buffer.from(qrCodeSvg(shortUrl, { size: 416 })).toString('base64');
  const address = escapeHtml(shortUrl);
  return `<div class="uses">
<button type="button" id="copy" hidden data-text="${address}" data-done="${texts.copied}" aria-live="polite">${texts.copy}</button>
<details><summary>${texts.qrCode}</summary>
<img src="data:image/svg+xml;base64,${code}" width="208" height="208" alt="${texts.qrCode}${texts.colon}${address}">
</details></div>
<script nonce="${nonce}">${COPY}</script>`;
}

const COPY = `(function () {
var button = document.getElementById('copy'), label = button.textContent
if (!navigator.clipboard) return
button.hidden = false
button.onclick = function () {
navigator.clipboard.writeText(button.dataset.text).then(function () {
button.textContent = button.dataset.done
setTimeout(function () { button.textContent = label }, 2000)
})
}
})()`;

/** The page of a link's statistics. It loads nothing, and only the button that copies the link needs a script. */
export function statisticsPage(
  shown: PublicStatistics,
  { shortUrl, disabled }: { shortUrl: string; disabled: boolean },
  acceptLanguage: string,
  brand: BrandColumns | null = null,
): Page {
  const { style, mark, help } = renderBrand(brand, acceptLanguage);
  const locale = localeFor(acceptLanguage);
  const { texts } = locale;
  const nonce = newNonce();
  const address = escapeHtml(shortUrl);
  const short = escapeHtml(shortUrl.replace(/^https?:\/\//, ''));
  const periods = pageLengths.map((length) => {
    const current = length === shown.length ? ' aria-current="page"' : '';
    return `<a href="?days=${length}"${current}>${escapeHtml(fill(texts.days, { count: locale.number(length) }))}</a>`;
  });
  const totals = (['clicks', 'visitors', 'bots'] as const).map(
    (of) => `<div><dt>${texts[of]}</dt><dd>${locale.number(shown[of])}</dd></div>`,
  );
  const missing = explainMissing(shown, locale);
  const charts = `${renderDays(shown, locale)}
<div class="dimensions">
${shown.tops.map(({ by, top }) => renderBars(by, top, shown.endedClicks, locale, missing)).join('\n')}
</div>`;
  const html = `<!doctype html>
<html lang="${locale.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${texts.title}${texts.colon}${short}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style nonce="${nonce}">${statisticsStyle}${style}</style>
</head>
<body>
<main>
${mark || serviceMark}
<header class="top"><div><p>${texts.title}</p><h1><a href="${address}" rel="nofollow"><bdi>${short.replace('/', '/<wbr>')}</bdi></a></h1>
${renderUses(shortUrl, nonce, locale)}</div>
<nav aria-label="${texts.periods}">${periods.join('\n')}</nav></header>
<dl class="totals">${totals.join('\n')}</dl>
<p class="rounded">${texts.rounded} <a href="#note">${texts.details}</a></p>
${shown.clicks === 0 ? renderEmpty(locale, disabled) : charts}
<footer><p id="note">${texts.note}</p>${help === '' ? '' : `<p>${help}</p>`}</footer>
</main>
</body>
</html>
`;
  return {
    html,
    contentSecurityPolicy: writePolicy(
      nonce,
      `script-src 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "form-action 'none'",
    ),
    leavesOpener: true,
  };
}
