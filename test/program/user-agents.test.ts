import { expect, test } from 'vitest';
import { isBot } from '../../src/domain/visit/bot.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const TV = `Mozilla/5.0 (Linux armv7l) ${CHROME} OPR/46.0.2207.0`;
const OUTLOOK = 'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C;';

test.each([
  // Computers
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`,
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/143.0.0.0`,
  `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME}`,
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0 SeaMonkey/2.53.20',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:68.9) Goanna/4.5 PaleMoon/28.9',
  'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; InfoPath.3)',
  'Mozilla/5.0 (compatible; Konqueror/4.14; Linux) KHTML/4.14 (like Gecko)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Safari/605.1.15 Epiphany/605.1.15',
  'Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18',
  'Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1 OpenSSL/1.1.1d',
  // Browsers of apps
  `${IPHONE} [FBAN/FBIOS;FBAV/500.0.0.0;FBBV/1;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/18.5]`,
  `${ANDROID} [FB_IAB/FB4A;FBAV/500.0.0.0;]`,
  `${IPHONE} Instagram 330.0.3.29 (iPhone15,2; iOS 18_5; en_US; en; scale=3.00; 1179x2556; 1)`,
  'Instagram 10.26.0 (iPhone7,2; iOS 10_1_1; en_US; en-US; scale=2.00; gamut=normal; 750x1334) AppleWebKit/420+',
  `${ANDROID} Instagram 330.0.0.40 Android (34/14; 450dpi; 1080x2106; samsung; SM-S918B)`,
  `${IPHONE} Barcelona 330.0.0.0`,
  `${IPHONE} Safari Line/14.5.0`,
  `${ANDROID} XWEB/1160 MMWEBSDK/20240301 MicroMessenger/8.0.48 WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64`,
  `${ANDROID} trill_340000 BytedanceWebview/d8a21c6 musical_ly_2023400000 AppName/musical_ly`,
  `${IPHONE} GSA/330.0 Safari/604.1`,
  `${IPHONE} Snapchat/13.0.0.40 (iPhone15,2; iOS 18.5; gzip)`,
  `${IPHONE} Twitter for iPhone/10.50`,
  `${IPHONE} [LinkedInApp]/9.29`,
  `${ANDROID} [Pinterest/Android]`,
  `${ANDROID} KAKAOTALK/10.8.0`,
  `${IPHONE} NAVER(inapp; search; 1000; 12.0.0)`,
  `${IPHONE}`,
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Teams/1.6.0 Chrome/120.0.0.0 Electron/28.0.0 Safari/537.36`,
  // Phones and tablets
  ANDROID,
  'Mozilla/5.0 (Android 13; Mobile; rv:138.0) Gecko/138.0 Firefox/138.0',
  'Mozilla/5.0 (Linux; Android 9; Partner Evolution) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0.3987.119 Mobile Safari/537.36',
  'Mozilla/5.0 (Mobile; Nokia 2720 V Flip; rv:48.0; CAEN) Gecko/48.0 Firefox/48.0 KAIOS/2.5.4',
  'Mozilla/5.0 (SAMSUNG; SAMSUNG-GT-S8500/S8500XXJF4; U; Bada/1.0; fr-fr) AppleWebKit/533.1 (KHTML, like Gecko) Dolfin/2.0 Mobile',
  'Nokia6230/2.0 (04.44) Profile/MIDP-2.0 Configuration/CLDC-1.1',
  'Nokia3310/1.0 (05.00)',
  'SonyEricssonK750i/R1J Browser/SEMC-Browser/4.2 Profile/MIDP-2.0 Configuration/CLDC-1.1',
  'SonyEricssonJ20i/R1x Browser/NetFront/3.5 Profile/MIDP-2.1 Configuration/CLDC-1.1 JavaPlatform/JP-8.5',
  'SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Browser/6.2.3.3.c.1.101 (GUI) MMP/2.0',
  'LG-KU990i/V10a Browser/Obigo-Q05A/3.6 MMS/LG-MMS-V1.0/1.2 Java/ASVM/1.1 Profile/MIDP-2.0',
  'MOT-V3/08.B4.34R MIB/2.2.1 Profile/MIDP-2.0 Configuration/CLDC-1.0',
  'BlackBerry9000/4.6.0.167 Profile/MIDP-2.0 Configuration/CLDC-1.1 VendorID/102',
  'DoCoMo/2.0 SH901iC(c100;TB;W24H12)',
  'KDDI-CA39 UP.Browser/6.2.0.13.1.5 (GUI) MMP/2.0',
  'SoftBank/1.0/911T/TJ001/SN123456789 Browser/NetFront/3.3 Profile/MIDP-2.0 Configuration/CLDC-1.1',
  'FLY_E141TV_PLUS/ WAP Browser/MAUI(HTTP PGDL;HTTPS)Profile/Q03C1-2.40 ru-RU',
  'Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10',
  'UCWEB/2.0 (MIDP-2.0; U; Adr 4.4.2; en-US; XT1022) U2/1.0.0 UCBrowser/9.5.1.494 U2/1.0.0 Mobile',
  'Mozilla/5.0 (Linux; U; en-US) AppleWebKit/528.5+ (KHTML, like Gecko, Safari/528.5+) Version/4.0 Kindle/3.0 (screen 600x800; rotate)',
  // Televisions and consoles
  'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager',
  `${TV} OMI/4.21.4.112.Catcher4.69 Model/Hisense-MT9602 VIDAA/5.0(Hisense;SmartTV;55A52FEVS)`,
  'HbbTV/1.2.1 (;Panasonic;VIERA 2017;3.211;0201-0003 0000-0800;)',
  'Opera/9.80 (Linux 7405b0-smp; U; HbbTV/1.1.1 (; Humax; CXHD-5100C; 1.00.23; 1.0; ); ce-html/1.0; en) Presto/2.9.167 Version/11.50',
  'Mozilla/5.0 (Linux; Android 11; 4K Google TV Stick Build/RTT0.210618.003; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/101.0.4951.61 Mobile Safari/537.36',
  'Roku/DVP-9.10 (519.10E04111A)',
  'Mozilla/5.0 (Linux; Android 9; AFTSSS) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.1 like Chrome/120.0 Safari/537.36',
  'Mozilla/5.0 (PlayStation; PlayStation 5/6.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
  'Mozilla/5.0 (PLAYSTATION 3; 3.55)',
  'Mozilla/4.0 (PSP (PlayStation Portable); 2.00)',
  'Mozilla/5.0 (Nintendo 3DS; U; ; en) Version/1.7412.EU',
  'Opera/9.30 (Nintendo Wii; U; ; 3642; en)',
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${CHROME} Edge/44.18363.8131`,
])('a person: %s', (userAgent) => {
  expect(isBot({ userAgent })).toBe(false);
});

test.each([
  // No agent, or none that says anything
  '',
  '   ',
  '-',
  'Mozilla/5.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  // Office and mail programs
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12329; Pro)',
  'Microsoft Office Word/16.78.1008 (Mac OS/14.0; Desktop; en-US; NonAppStore; Apple/Mac15,8)',
  `${OUTLOOK} ms-office)`,
  `${OUTLOOK} Microsoft Outlook 16.0.5056; ms-office; MSOffice 16)`,
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.0; SLCC1; .NET CLR 2.0.50727; MSOffice 12)',
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/143.0.0.0 OneOutlook/1.2026.1103.100`,
  'Outlook-iOS/711.3061168.prod.iphone (3.21.0)',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0',
  'Mozilla/5.0 (Macintosh; U; Intel Mac OS X 10.6; en-US; rv:1.9.1.8) Gecko/20100317 Postbox/1.1.3',
  'Mozilla/4.0 (compatible; Lotus-Notes/6.0; Windows-NT)',
  `Mozilla/5.0 (Windows NT 10.0; WOW64) ${CHROME} eM Client/8.2.1659.0`,
  'Mail/3445.9.1 CFNetwork/902.2 Darwin/17.7.0 (x86_64)',
  'Airmail 1.4 rv:238 (Macintosh; Mac OS X 10.9.2; hr_HR)',
  // Parts of systems
  'NetworkingExtension/8621.2.5.10.10 Network/5569.122.2 iOS/18.5',
  'com.apple.WebKit.Networking/8621.2.5.10.10 CFNetwork/3826.500.131 Darwin/24.5.0',
  'MobileSafari/8621.2.5 CFNetwork/3826.500.131 Darwin/24.5.0',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1682',
  'Mozilla/5.0 (Macintosh; Darwin 24.5.0; en-US) PowerShell/7.5.1',
  'Dalvik/2.1.0 (Linux; U; Android 14; SM-S918B Build/UP1A.231005.007)',
  'Microsoft-WNS/10.0',
  'AppleCoreMedia/1.0.0.22F76 (iPhone; U; CPU OS 18_5 like Mac OS X; en_us)',
  // Libraries and commands
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.3',
  'Python/3.12 aiohttp/3.10.5',
  'Go-http-client/2.0',
  'okhttp/4.12.0',
  'axios/1.7.7',
  'node',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'undici',
  'Java/17.0.9',
  'Apache-HttpClient/4.5.14 (Java/17.0.9)',
  'libwww-perl/6.72',
  'Ruby',
  'Faraday v2.9.0',
  'GuzzleHttp/7',
  'reqwest/0.12',
  'HTTPie/3.2.2',
  'PostmanRuntime/7.42.0',
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0',
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36`,
  'MyApp/3.1 (iPhone; iOS 18.5; Scale/3.00)',
  // Link checkers
  'W3C-checklink/5.0.0 libwww-perl/6.72',
  'LinkChecker/10.4 (+https://linkchecker.github.io/linkchecker/)',
  'Mozilla/5.0 (compatible; LinkChecker/10.4; +https://linkchecker.github.io/linkchecker/)',
  'Xenu Link Sleuth/1.3.8',
  'LinkWalker/2.0',
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} LinkWalker/3.0`,
  'Screaming Frog SEO Spider/20.0',
  'lychee/0.15.1',
  'UptimeRobot/2.0',
  // Crawlers and previews
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; Unknown 2)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/119.0.6045.214 Safari/537.36',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'WhatsApp/2.23.20.0',
  'TelegramBot (like TwitterBot)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
])('a program: %s', (userAgent) => {
  expect(isBot({ userAgent })).toBe(true);
});

test.each([
  'Mozilla/5.0 ('.repeat(80),
  'Mozilla/5.0 Chrome '.repeat(60),
  `Mozilla/5.0 ${'link '.repeat(200)}`,
  '@a'.repeat(500),
])('an agent of 1,000 characters costs little: %.20s…', async (text) => {
  const userAgent = text.slice(0, 1_000);
  expect(await cpuTimeOf(async () => isBot({ userAgent }))).toBeLessThan(50);
});
