import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { Visitor } from './visitor.ts';

function combinePatterns(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i');
}

/** Parts of the user agents of browsers. */
const BROWSER_FORM = combinePatterns(
  String.raw`\b(?:Gecko|Goanna|Opera|OPR|Trident|Presto|Servo|Ladybird)\b|\bMSIE \d|KHTML|WebKit[ /]`,
  String.raw`NetFront|Obigo|Teleca|Dolfin|Polaris|browser[ /\d]|^(?:Lynx|E?Links|w3m|Dillo)\b`,
  String.raw`^Mozilla/.*(?:\b(?:Chrome|Safari|Firefox|Version)/|Android|iP(?:hone|ad|od)|Windows Phone|Symbian|MeeGo)`,
  // Old phones
  String.raw`MIDP|CLDC|J2ME|\bMMP/|\bUP/|\bUP\.Link|WAP|UCWEB|\bBREW\b|Windows CE|Palm ?OS|\bFBAN/`,
  '^(?:Nokia|SonyEricsson|SAMSUNG-|SEC-|LGE?[-/]|MOT-|BlackBerry|SIE-|DoCoMo/|KDDI-|SoftBank/|Vodafone/|J-PHONE/)',
  // Televisions and consoles
  String.raw`HbbTV|CE-HTML|\bNETTV/|SMART-?TV|Hybridcast|\bRoku|PlayStation|Nintendo|Xbox`,
);

/** Programs that use the form of browsers, and that isbot does not know: most of them read mail or check links. */
const PROGRAM = combinePatterns(
  String.raw`ms-?office|\b(?:Microsoft (?:Office|Outlook)|Outlook-Express|OneOutlook|Thunderbird|Icedove|Betterbird|Postbox|Spicebird)\b`,
  String.raw`\b(?:Eudora|KMail|Kontact|Lotus-Notes|Mailspring|Mailbird|BlueMail|eM ?Client|Foxmail|Airmail|Apple ?Mail|akregator)\b`,
  String.raw`\bEvolution/|like Gecko; compatible|fetch(?! ?tv)|links?.?(?:walk|check|valid|test|alarm|scan)`,
  String.raw`\b(?:wkhtmltopdf|Barracuda|Mimecast|Trend Micro WTP)\b`,
  String.raw`\b(?:CFNetwork|Cronet|Dalvik|Darwin|PowerShell|curl|wget|libwww-perl|okhttp|urllib|axios|aiohttp|jsdom|SlimerJS)\b`,
);

/** Words of televisions and phones that isbot takes for those of programs. */
const MISTAKEN =
  /\b(?:CE-HTML|NETTV|Freesat|Bada|webOS|REX)\/1\.0\b|Catcher(?=\d)|Google ?TV|Java(?=Platform|\/ASVM)|HTTP PGDL(?:;HTTPS)?|iP(?:hone|ad|od)\d+,|Google (?:Toolbar|Update)|Sogou(?:MSE|MobileBrowser)/gi;

/** The system and device of a phone's browser or WebView, up to its engine: apps add names behind it. */
const PHONE_SYSTEM =
  /^Mozilla\/5\.0 \((?:iPhone|iPad|iPod|Linux; (?:U; )?(?:arm_64; )?Android)\b.{1,200}?\) (?=AppleWebKit\/[\d.+]+ \(KHTML, like Gecko\) .*(?:Mobile\/\w|Chrome\/[\d.]+ (?:Mobile )?Safari\/))/;

/** Agents of text browsers, old browsers, old phones and televisions that are in no form of today's. */
const OLD_FORM = combinePatterns(
  String.raw`^(?:NetSurf|Dillo|edbrowse|iCab|OmniWeb|AmigaVoyager|IBrowse)/\d|^Mozilla/.*\b(?:NetSurf/|iCab |IBrowse )\d`,
  String.raw`^Mozilla/[34]\.\d+ (?:\[\w\w\] )?\((?:Win(?:9|NT)|X11;|Macintosh;)[^()]*\)$`,
  String.raw`^(?:SIE-|LG/|SHARP-|Huawei/|PANTECH-|NEC-|PalmSource/|MAUI.WAP.Browser|Lenovo-|AppleTV\d)|^Mozilla/5\.0 \(Series40;`,
);

/** Parts by which programs name themselves behind the user agent of a phone or an old browser. */
const DECLARED = combinePatterns(
  String.raw`(?<! cu)bots?(?:\b|_)|crawl|spider\b|preview|compatible; (?!iCab|IBrowse)|https?:|\bwww\.|@[a-z][\w-]+\.`,
  'headless|lighthouse|externalhit|GoogleOther|Google-|InspectionTool|PhantomJS|PageSpeed|pingdom|PTST/|GTmetrix|SpeedCurve|StatusCake|24x7|synthetic',
  'playwright|puppeteer|selenium|links?.?(?:walk|check|valid|test|alarm|scan)',
);

function isProgram(userAgent: string): boolean {
  if (PHONE_SYSTEM.test(userAgent) || OLD_FORM.test(userAgent)) {
    return DECLARED.test(userAgent.replace(PHONE_SYSTEM, ''));
  }
  return (
    !BROWSER_FORM.test(userAgent) || PROGRAM.test(userAgent) || isbot(userAgent.replaceAll(MISTAKEN, ' '))
  );
}

/** A cache by user agent: few of them make most visits, and the patterns are long. */
const bots = new LRUCache<string, boolean>({ max: 1_000, memoMethod: isProgram });

/**
 * True if the visitor is a program, such as a crawler or a link preview. It is one if isbot knows it, or if its user
 * agent is not a browser's. A phone's browser is a program only if it says so.
 */
export function isBot({ userAgent }: Pick<Visitor, 'userAgent'>): boolean {
  return userAgent.length > 500 ? isProgram(userAgent) : bots.memo(userAgent);
}
