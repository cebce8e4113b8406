import { type PixelType, typeOfPixel } from '../domain/pixel.ts';
import type { Pixel } from '../generated/sqlite/client.ts';

/** The snippet of a network's documentation: prepare something, load a script, and call it. */
interface Snippet {
  /** Statements that run before the script is loaded; `id` is the pixel's value. */
  readonly prepare: string;
  source(value: string): string;
  /** Statements that run after the script has loaded, if it does not use a queue. */
  readonly loaded?: string;
}

/** A function that queues calls until the network's script has loaded. */
const declareQueue = (name: string, list: string, method: string): string =>
  `var q = window.${name} = window.${name} || function () { q.${method} ? q.${method}.apply(q, arguments) : q.${list}.push(arguments) };
q.${list} = q.${list} || [];`;

const gtag: Snippet = {
  prepare: `window.dataLayer = window.dataLayer || [];
window.gtag = window.gtag || function () { dataLayer.push(arguments) };
gtag('js', new Date()); gtag('config', id);`,
  source: (value) => `https://www.googletagmanager.com/gtag/js?id=${encodeURIComponent(value)}`,
};

const snippets: Readonly<Record<PixelType, Snippet>> = {
  ADROLL: {
    prepare: `var ids = id.split(':'); window.adroll_adv_id = ids[0]; window.adroll_pix_id = ids[1] || '';
window.adroll_version = '2.0'; window.adroll = window.adroll || [];
adroll.track = adroll.track || function () { adroll.push(['track'].concat([].slice.call(arguments))) };
adroll.track('pageView');`,
    source: (value) => `https://s.adroll.com/j/${encodeURIComponent(value.split(':')[0] ?? '')}/roundtrip.js`,
  },
  BING: {
    prepare: 'window.uetq = window.uetq || [];',
    source: () => 'https://bat.bing.com/bat.js',
    loaded: "window.uetq = new UET({ ti: id, q: window.uetq }); uetq.push('pageLoad');",
  },
  FACEBOOK: {
    prepare: `${declareQueue('fbq', 'queue', 'callMethod')}
q.push = q; q.loaded = true; q.version = '2.0'; window._fbq = window._fbq || q;
fbq('init', id); fbq('track', 'PageView');`,
    source: () => 'https://connect.facebook.net/en_US/fbevents.js',
  },
  GOOGLE_ADS: gtag,
  GOOGLE_ANALYTICS: gtag,
  GOOGLE_TAG_MANAGER: {
    prepare: `window.dataLayer = window.dataLayer || [];
dataLayer.push({ 'gtm.start': Date.now(), event: 'gtm.js' });`,
    source: (value) => `https://www.googletagmanager.com/gtm.js?id=${encodeURIComponent(value)}`,
  },
  LINKEDIN: {
    prepare: `window._linkedin_partner_id = id;
(window._linkedin_data_partner_ids = window._linkedin_data_partner_ids || []).push(id);`,
    source: () => 'https://snap.licdn.com/li.lms-analytics/insight.min.js',
  },
  PINTEREST: {
    prepare: `var q = window.pintrk = window.pintrk || function () { q.queue.push([].slice.call(arguments)) };
q.queue = q.queue || []; q.version = '3.0';
pintrk('load', id); pintrk('page');`,
    source: () => 'https://s.pinimg.com/ct/core.js',
  },
  QUORA: {
    prepare: `${declareQueue('qp', 'queue', 'qp')}
qp('init', id); qp('track', 'ViewContent');`,
    source: () => 'https://a.quora.com/qevents.js',
  },
  X: {
    prepare: `${declareQueue('twq', 'queue', 'exe')}
q.version = '1.1'; twq('config', id);`,
    source: () => 'https://static.ads-twitter.com/uwt.js',
  },
};

/**
 * A text as a string literal of an inline script. Values are also validated when a pixel is created; this is a second
 * protection.
 */
function literal(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The script that fires a pixel; an error in it does not stop the others. */
export function writeScript(pixel: Pick<Pixel, 'type' | 'value'>): string {
  const { prepare, source, loaded = '' } = snippets[typeOfPixel(pixel)];
  return `(function (id) {
${prepare}
var script = document.createElement('script'); script.async = true; script.src = ${literal(source(pixel.value))};
script.onload = function () { ${loaded} };
document.head.appendChild(script);
})(${literal(pixel.value)});`;
}
