import { randomUUID } from 'node:crypto';
import type { VisitedPixel } from '../db/reading/link-for-visit.ts';
import { type BrandColumns, logoPath } from '../domain/access/brand.ts';
import { isFireable } from '../domain/pixel.ts';
import { toAscii } from '../engine/rules/url.ts';
import { logo, visitorStyle } from '../generated/look.ts';
import { writeScript } from './pixels.ts';
import { type Message, textsFor } from './translations.ts';

/** A page of the service, with its Content-Security-Policy. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
  /** True if other sites must not keep a handle to this page's window. Sets `Cross-Origin-Opener-Policy: same-origin`. */
  readonly leavesOpener?: boolean;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, also for attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}

/** Lets a page show the icon of its tab, and a logo. */
export const ICON = "img-src 'self'";

/** A brand in the HTML of a page. */
export interface ShownBrand {
  /** Rules for the page's style. */
  readonly style: string;
  /** The account's logo and name; empty for none. */
  readonly mark: string;
  /** The link to a page of help; empty for none. */
  readonly help: string;
}

/** The mark of the service. */
export const serviceMark = `<span class="brand">${logo}Linkspace</span>`;

/** Writes a brand for a page. Its colour is dark, so it takes the place of the light scheme's; on buttons, of both. */
export function renderBrand(brand: BrandColumns | null, acceptLanguage: string): ShownBrand {
  if (brand === null) return { style: '', mark: '', help: '' };
  const { brandLogo, brandColour: colour, brandName, brandHelpUrl } = brand;
  const image = brandLogo === null ? '' : `<img src="${logoPath(brandLogo)}" alt="">`;
  const name = brandName === null ? '' : `<bdi>${escapeHtml(brandName)}</bdi>`;
  const { help } = textsFor(acceptLanguage).texts;
  return {
    style:
      colour === null
        ? ''
        : `@media not (prefers-color-scheme:dark){:root{--act:${colour}}}button,a.on{background:${colour};color:#fff}`,
    mark: image + name === '' ? '' : `<span class="brand">${image}${name}</span>`,
    help:
      brandHelpUrl === null
        ? ''
        : `<a href="${escapeHtml(toAscii(brandHelpUrl))}" rel="noopener noreferrer nofollow">${help}</a>`,
  };
}

/** Writes the head of a page, without its end. @param title in HTML */
export function writeHead(acceptLanguage: string, title: string, style: string, nonce: string): string {
  return `<!doctype html>
<html lang="${textsFor(acceptLanguage).language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style nonce="${nonce}">${style}</style>`;
}

interface Parts {
  readonly acceptLanguage: string;
  /** The title and the text, in HTML. */
  readonly title: string;
  readonly text: string;
  /** The title as a heading, in HTML. */
  readonly heading?: string;
  readonly nonce: string;
  readonly head?: string;
  readonly body?: string;
  /** The brand of the account; none by default. */
  readonly brand?: BrandColumns | null;
}

function renderHtml({
  acceptLanguage,
  title,
  text,
  heading = title,
  nonce,
  head = '',
  body = '',
  brand = null,
}: Parts): string {
  const { style, mark, help } = renderBrand(brand, acceptLanguage);
  const footer = (mark === '' ? serviceMark : '') + help;
  return `${writeHead(acceptLanguage, title, visitorStyle + style, nonce)}${head}
</head>
<body>${mark === '' ? '' : `\n<header>${mark}</header>`}
<main>
<h1>${heading}</h1>
<p>${text}</p>${body}
</main>
${footer === '' ? '' : `<footer>${footer}</footer>\n`}</body>
</html>
`;
}

/** UUIDs, whose randomness Node buffers: a system call for each nonce would take a quarter of a page's time. */
export const newNonce = (): string => randomUUID().replaceAll('-', '');

/** @param more further directives; one of a name above takes its place */
export function writePolicy(nonce: string, ...more: string[]): string {
  const nothing = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
  const all = [...nothing, `style-src 'nonce-${nonce}'`, "font-src 'self'", ...more];
  return [...new Map(all.map((one) => [one.split(' ', 1)[0], one])).values()].join('; ');
}

/** A page with the outcome of a visit. It links nowhere: the root of the host may be a page for people who work here. */
export function messagePage(
  message: Message,
  acceptLanguage: string,
  brand: BrandColumns | null = null,
): Page {
  const nonce = newNonce();
  const { texts } = textsFor(acceptLanguage);
  return {
    html: renderHtml({ acceptLanguage, ...texts.messages[message], nonce, brand }),
    contentSecurityPolicy: writePolicy(nonce, ICON),
  };
}

/** The page at the root of a host that leads nowhere else. */
export function rootPage(host: string, acceptLanguage: string, brand: BrandColumns | null): Page {
  const nonce = newNonce();
  const title = escapeHtml(host);
  const { root: text } = textsFor(acceptLanguage).texts;
  return {
    html: renderHtml({ acceptLanguage, title, heading: `<bdi>${title}</bdi>`, text, nonce, brand }),
    contentSecurityPolicy: writePolicy(nonce, ICON),
  };
}

/** The title and the host of a short link: for previews as tags of the head, and as text of the page. */
function aboutLink(title: string, host: string): { head: string; body: string } {
  const tags = { title, site_name: escapeHtml(host) };
  return {
    head: Object.entries(tags)
      .map(([name, content]) => `\n<meta property="og:${name}" content="${content}">`)
      .join(''),
    body: `\n<p class="host"><bdi>${tags.site_name}</bdi></p>`,
  };
}

/**
 * The page for bots of a link with a click limit. It does not reveal the destination.
 * @param title the link's own title, if they may know it
 * @param host that of the short URL
 */
export function previewPage(title: string | null, host: string, acceptLanguage: string): Page {
  const nonce = newNonce();
  const message = textsFor(acceptLanguage).texts.messages.preview;
  const own = title === null ? message.title : escapeHtml(title);
  const parts = { title: own, heading: title === null ? own : `<bdi>${own}</bdi>`, text: message.text };
  return {
    html: renderHtml({ acceptLanguage, nonce, ...parts, ...aboutLink(own, host) }),
    contentSecurityPolicy: writePolicy(nonce, ICON),
  };
}

/** The preview of a link, as a page has it. */
export interface Card {
  /** The title; null for none. */
  readonly title: string | null;
  readonly description: string | null;
  /** The address of the picture, and that of the short link. */
  readonly imageUrl: string | null;
  readonly shortUrl: string;
  /** The host of the short link. */
  readonly host: string;
  /** The destination in ASCII; null if the page does not reveal it. */
  readonly destination: string | null;
}

/** The page for programs that show previews: it has no script, and leads nobody on by itself. */
export function cardPage(card: Card, acceptLanguage: string): Page {
  const { imageUrl, destination } = card;
  const nonce = newNonce();
  const { texts } = textsFor(acceptLanguage);
  const title = card.title === null ? texts.messages.preview.title : escapeHtml(card.title);
  const description = card.description === null ? null : escapeHtml(card.description);
  const image = imageUrl === null ? null : escapeHtml(imageUrl);
  const properties: Readonly<Record<string, string | null>> = {
    'og:title': title,
    'og:description': description,
    'og:image': image,
    'og:url': escapeHtml(card.shortUrl),
    'og:site_name': escapeHtml(card.host),
    'og:type': 'website',
  };
  const names: Readonly<Record<string, string | null>> = {
    description,
    'twitter:card': image === null ? 'summary' : 'summary_large_image',
  };
  const tags = (kind: string, all: Readonly<Record<string, string | null>>) =>
    Object.entries(all).map(([name, content]) =>
      content === null ? '' : `\n<meta ${kind}="${name}" content="${content}">`,
    );
  const head = [...tags('property', properties), ...tags('name', names)].join('');
  const picture = image === null ? '' : `\n<p><img src="${image}" alt=""></p>`;
  const link =
    destination === null
      ? ''
      : `\n<a class="on" href="${escapeHtml(destination)}" rel="noreferrer">${texts.submit}</a>`;
  const body = `${picture}\n<p class="host"><bdi>${properties['og:site_name']}</bdi></p>${link}`;
  const heading = card.title === null ? title : `<bdi>${title}</bdi>`;
  const text = description === null ? '' : `<bdi>${description}</bdi>`;
  return {
    html: renderHtml({ acceptLanguage, title, heading, text, nonce, head, body }),
    contentSecurityPolicy: writePolicy(nonce, ICON),
  };
}

/** With fewer guesses left, of five, the form says that a pause follows. */
const FEW_GUESSES = 3;

/**
 * The form for the password of a link, or of its statistics. It reveals neither the destination nor the link's title.
 * @param host that of the short URL
 * @param guessesLeft after a wrong password: the number of further ones before the visitor has to wait
 * @param referrer where the visitor came from, signed, which the form carries along
 */
export function passwordPage(
  acceptLanguage: string,
  host: string,
  guessesLeft: number | null,
  message: 'password' | 'statisticsPassword' = 'password',
  referrer: string | null = null,
  brand: BrandColumns | null = null,
): Page {
  const nonce = newNonce();
  const { texts } = textsFor(acceptLanguage);
  const about = aboutLink(texts.messages[message].title, host);
  const wrong = guessesLeft !== null;
  const told = wrong && guessesLeft < FEW_GUESSES ? `${texts.wrong} ${texts.pause}` : texts.wrong;
  const fault = wrong ? `\n<p class="wrong" role="alert" id="wrong">${told}</p>` : '';
  const body = `${about.body}
<form method="post">
<label for="password">${texts.label}</label>
<input type="password" id="password" name="password" required autofocus autocomplete="off"${
    wrong ? ' aria-invalid="true" aria-describedby="wrong"' : ''
  }>${fault}${referrer === null ? '' : `\n<input type="hidden" name="referrer" value="${escapeHtml(referrer)}">`}
<button>${texts.submit}</button>
</form>`;
  // The form is sent to the service, but browsers apply form-action to the redirect of the answer, too.
  const target = message === 'password' ? "form-action 'self' http: https:" : "form-action 'self'";
  return {
    html: renderHtml({ acceptLanguage, ...texts.messages[message], nonce, head: about.head, body, brand }),
    contentSecurityPolicy: writePolicy(nonce, ICON, target),
    leavesOpener: true,
  };
}

/** Milliseconds for which the page waits for the pixels before it redirects. */
const PIXELS_TIME = 600;

/**
 * A frame for scripts, with an origin of its own: they reach no cookie, no storage and no other page of the host. The page's
 * policy applies in it, too. The page adds it from its template.
 */
function apart(scripts: string): string {
  return `<template id="apart"><iframe hidden sandbox="allow-scripts" srcdoc="${escapeHtml(`<!doctype html><body>${scripts}`)}"></iframe></template>`;
}

/**
 * A page that fires the pixels and then redirects; it has a plain link, and redirects at once without JavaScript.
 * @param isApart whether the scripts of the pixels are kept apart from the host
 */
export function pixelsPage(
  pixels: readonly VisitedPixel[],
  destination: string,
  acceptLanguage: string,
  isApart: boolean,
  brand: BrandColumns | null = null,
): Page {
  const nonce = newNonce();
  const address = escapeHtml(destination);
  const { texts } = textsFor(acceptLanguage);
  const scripts = pixels
    .filter(isFireable)
    .map((pixel) => `<script nonce="${nonce}">${writeScript(pixel)}</script>`)
    .join('\n');
  // A frame can add entries to the history, with which Back leads here again: then nothing fires, and the link is left.
  const moveOn = `if ((performance.getEntriesByType('navigation')[0] || {}).type !== 'back_forward') {
setTimeout(function () { location.replace(document.getElementById('on').href) }, ${PIXELS_TIME});
${isApart ? "document.body.appendChild(document.getElementById('apart').content);" : ''}
}`;
  // A frame knows the base of its page, which would be the page's address, with its query.
  const base = isApart ? '\n<base href="/">' : '';
  const head = `${base}
<noscript><meta http-equiv="refresh" content="0; url=${address}"></noscript>`;
  const body = `
<a class="on" id="on" href="${address}" rel="noreferrer">${texts.submit}</a>
${isApart ? apart(scripts) : ''}
<script nonce="${nonce}">${moveOn}</script>
${isApart ? '' : scripts}`;
  const policy = writePolicy(
    nonce,
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `base-uri '${isApart ? 'self' : 'none'}'`,
    // The logo is on the host itself, perhaps at http.
    brand?.brandLogo ? "img-src 'self' https:" : 'img-src https:',
    ...['connect-src https:', 'frame-src https:'],
  );
  const html = renderHtml({ acceptLanguage, ...texts.messages.moving, nonce, head, body, brand });
  // Through the page, a frame would reach the page that opened it. Scripts outside a frame must share no group with pages for passwords.
  return { html, contentSecurityPolicy: policy, leavesOpener: isApart };
}
