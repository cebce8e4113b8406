import { linkTexts } from '../link/fields.ts';
import { type ClosingField, isClosing } from './closing-columns.ts';

/** The columns of our own export, in order. */
export const exportFields = [
  'kind',
  'short_url',
  'domain',
  'own_domain',
  'domain_not_found_url',
  'domain_root_url',
  'domain_apple_apps',
  'domain_android_apps',
  'domain_forwards_path',
  'alias',
  'url',
  ...linkTexts,
  'preview_title',
  'preview_description',
  'preview_image',
  'external_id',
  'space',
  'space_color',
  'tags',
  'pixels',
  'disabled',
  'forward_query',
  'has_password',
  'privacy',
  'has_privacy_password',
  'expiration_url',
  'expires_at',
  'expiration_clicks',
  'starts_at',
  'archived',
  'redirect_status',
  'target_type',
  'countries',
  'platforms',
  'languages',
  'rotation',
  'rules',
  'rule_tests',
  'operations',
  'views',
  'clicks',
  'last_clicked_at',
  'created_at',
  'updated_at',
] as const;

/** The columns that our own format may have, beside those that close links. No export has passwords, but people may add them. */
const ownFields = [
  ...exportFields.filter((field) => !isClosing(field)),
  'password',
  'privacy_password',
  'public_statistics',
] as const;

/** The fields of an import's line, whatever the columns of its file are called. */
export type ImportField =
  | Exclude<(typeof exportFields)[number], ClosingField>
  | ('password' | 'privacy_password')
  // Targets of services that have a column for each kind of device, or an object with a URL for each country.
  | ('ios_url' | 'android_url' | 'desktop_url' | 'country_urls')
  | ('public_statistics' | 'redirect_rules')
  // Rules of Shlink, and tests of Dub.
  | ('other_rules' | 'test_variants' | 'test_ends_at');

/** The column names for a field, by precedence; case, spaces and punctuation do not matter. */
type Columns = Partial<Record<ImportField, readonly string[]>>;

export interface Format {
  readonly columns: Columns;
  /** The keys of objects in JSON whose own keys count as columns, such as `meta.validUntil`. */
  readonly nested?: readonly string[];
  /** The paths in JSON that may have a list of records, besides the usual ones. */
  readonly lists?: readonly string[];
  /** The paths in JSON that may have an object of records. */
  readonly objects?: readonly string[];
  /** True if a record may have several short URLs, each of which is a link. */
  readonly hasAliases?: boolean;
  /** True if the service may be in a folder of its host, which is no part of an alias. */
  readonly inFolder?: boolean;
  /** The alias that the service writes for a domain's root. */
  readonly root?: string;
  /** True if archived links still redirect visitors. */
  readonly servesArchived?: boolean;
  /** True if texts that a spreadsheet would run as formulas are escaped, and must be restored. */
  readonly guarded?: boolean;
}

const longUrl = ['long url', 'destination url', 'destination', 'original url', 'target', 'url'];
const shortUrl = ['short url', 'short link', 'shortened url', 'link'];
const clicks = ['clicks', 'total clicks', 'click count', 'visits', 'visits count', 'visit count'];

/** The columns that most services have, beside those that close links. */
const common = {
  short_url: shortUrl,
  domain: ['domain'],
  url: longUrl,
  clicks,
  created_at: [
    ...['created at', 'created', 'created on', 'created date', 'date created', 'date added'],
    ...['creation date', 'creation time', 'create date', 'timestamp', 'date'],
  ],
  updated_at: ['updated at', 'updated', 'last updated', 'modified'],
  last_clicked_at: ['last clicked', 'last clicked at', 'last click at', 'last click', 'last click date'],
  expiration_url: [
    'expired url',
    'expiration url',
    'expiry url',
    'expiry destination',
    'expired destination',
  ],
};

/** Usual names of columns in people's own sheets, in the languages of the console, and the most usual in others. */
const ownNames: Columns = {
  url: [
    ...['landing page', 'destination url', 'target', 'ziel', 'lien', 'enlace', 'destination', 'long url'],
    ...['landing page url', 'landing url', 'target url', 'final url', 'original url', 'page url', 'full url'],
    ...['ziel url', 'zieladresse', 'zielseite', 'ziellink', 'lange url', 'url de destination', 'url cible'],
    ...['page de destination', 'page cible', 'cible', 'url longue', 'destino', 'url de destino'],
    ...['página de destino', 'url larga', 'link url', 'link', 'web address', 'webadresse', 'adresse web'],
    ...['dirección web', 'web page', 'webseite', 'urls', 'links', 'website', 'site web', 'sitio web', 'web'],
    ...[
      'destinazione',
      'url di destinazione',
      'pagina di destinazione',
      'url lungo',
      'sito web',
      'indirizzo web',
    ],
    ...['link de destino', 'url longa', 'endereço', 'bestemming', 'doel url', 'doelpagina'],
    ...['lange link', 'docelowy adres url', 'adres docelowy', 'docelowy url', 'adres url', 'strona docelowa'],
    ...[
      'link docelowy',
      'długi url',
      'długi link',
      'hedef',
      'hedef url',
      'hedef adres',
      'uzun url',
      'bağlantı',
    ],
    ...['mål url', 'måladress', 'länk', 'lång url', 'webbadress', 'destinationsadresse', 'lenke', 'lang url'],
    ...['cílová url', 'cílová adresa', 'odkaz', 'dlouhá url', 'ссылка', 'целевой url', 'длинная ссылка'],
    ...['исходная ссылка', 'адрес', 'посилання', 'リンク先', 'リンク先url', '元のurl', '元url', 'リンク'],
    ...['目标网址', '目标链接', '原始链接', '长链接', '网址', '链接'],
  ],
  short_url: [
    ...['short link', 'kurzlink', 'kurz url', 'lien court', 'url courte', 'enlace corto', 'url corta'],
    ...[
      'shortened url',
      'shortened link',
      'tiny url',
      'tracking link',
      'branded link',
      'vanity url',
      'bitlink',
    ],
    ...[
      'link breve',
      'link corto',
      'url breve',
      'link curto',
      'url encurtada',
      'link encurtado',
      'korte link',
    ],
    ...['korte url', 'krótki link', 'krótki url', 'krótki adres', 'skrócony link', 'kısa link', 'kısa url'],
    ...['kısa bağlantı', 'kort länk', 'kortlänk', 'kort url', 'kort link', 'kort lenke', 'krátký odkaz'],
    ...['krátká url', 'zkrácený odkaz', 'короткая ссылка', 'короткий url', 'коротке посилання', '短縮url'],
    ...['短縮リンク', '短链接', '短链', '短网址'],
  ],
  alias: [
    ...['kürzel', 'kurzname', 'nom court', 'nombre corto', 'short name', 'slug', 'back half', 'nome breve'],
    ...['apelido', 'korte naam', 'skrót', 'takma ad', 'zkratka', 'алиас', 'псевдоним', 'エイリアス', '别名'],
  ],
  title: [
    ...[
      'name',
      'titel',
      'titre',
      'título',
      'titulo',
      'titolo',
      'tytuł',
      'nazwa',
      'başlık',
      'tittel',
      'název',
    ],
    ...['nadpis', 'название', 'заголовок', 'назва', 'タイトル', '标题', '名称'],
  ],
  space: ['espace', 'espacio'],
  tags: [
    ...['tag', 'schlagwörter', 'étiquettes', 'etiquetas', 'labels', 'etichette', 'tagi', 'etykiety'],
    ...['etiketler', 'taggar', 'štítky', 'теги', 'метки', 'мітки', 'タグ', '标签'],
  ],
  password: [
    ...[
      'passwort',
      'kennwort',
      'mot de passe',
      'contraseña',
      'link password',
      'senha',
      'wachtwoord',
      'hasło',
    ],
    ...['şifre', 'parola', 'lösenord', 'adgangskode', 'passord', 'heslo', 'пароль', 'パスワード', '密码'],
  ],
  expiration_url: common.expiration_url,
  public_statistics: ['public stats', 'stats public'],
};

/** The supported formats, with the columns of each service's exports. */
export const importFormats = {
  csv: {
    columns: Object.fromEntries(ownFields.map((field) => [field, [field, ...(ownNames[field] ?? [])]])),
    guarded: true,
  },
  bitly: {
    columns: {
      ...common,
      short_url: ['custom bitlink', 'custom bitlinks', 'custom link', 'bitlink', ...shortUrl],
      alias: ['back half', 'custom back half', 'keyword'],
      domain: ['domain', 'custom domain'],
      title: ['title', 'link title', 'name'],
      space: ['campaign', 'folder'],
      tags: ['tags', 'tag'],
      clicks: [...clicks, 'engagements', 'total engagements', 'link clicks', 'clicks all time'],
    },
    hasAliases: true,
    servesArchived: true,
  },
  dub: {
    columns: {
      ...common,
      alias: ['key', 'slug'],
      url: ['url', ...longUrl],
      title: ['title', 'og title'],
      notes: ['comments'],
      space: ['folder', 'folder name'],
      tags: ['tags', 'tag'],
      ios_url: ['ios'],
      android_url: ['android'],
      country_urls: ['geo'],
      test_variants: ['test variants'],
      test_ends_at: ['test completed at'],
      public_statistics: ['public stats'],
    },
    root: '_root',
    servesArchived: true,
  },
  kutt: {
    columns: {
      ...common,
      alias: ['address', 'custom url', 'customurl'],
      title: ['description', 'title'],
      tags: ['tags'],
      clicks: ['visit count', ...clicks],
    },
  },
  rebrandly: {
    columns: {
      ...common,
      short_url: ['branded link', 'branded short link', ...shortUrl],
      alias: ['slashtag', 'slash tag', 'back half'],
      domain: ['domain', 'domain full name', 'domain name', 'branded domain'],
      url: ['destination', 'destination url', ...longUrl],
      title: ['title', 'link title'],
      space: ['folder'],
      tags: ['tags', 'tag'],
      forward_query: ['forward parameters'],
    },
  },
  shlink: {
    columns: {
      ...common,
      short_url: ['short url'],
      alias: ['short code', 'slug', 'custom slug'],
      url: ['long url', ...longUrl],
      title: ['title'],
      tags: ['tags'],
      clicks: ['visits', 'visits count', 'visits total', 'visits summary total', ...clicks],
      ios_url: ['device long urls ios'],
      android_url: ['device long urls android'],
      desktop_url: ['device long urls desktop'],
      redirect_rules: ['has redirect rules'],
      other_rules: ['redirect rules'],
      forward_query: ['forward query'],
    },
    nested: ['visitsSummary', 'meta', 'deviceLongUrls'],
    lists: ['shortUrls.data'],
  },
  yourls: {
    columns: {
      ...common,
      short_url: ['short url', 'shorturl'],
      alias: ['keyword'],
      url: ['url', 'long url', 'longurl'],
      title: ['title'],
    },
    objects: ['links'],
    inFolder: true,
  },
} as const satisfies Record<string, Format>;

export type ImportFormat = keyof typeof importFormats;

/** Number of a column's names that a message shows. */
const TOLD_NAMES = 7;

/** Examples of names for a sheet's column of URLs. */
export const urlNames = importFormats.csv.columns.url?.slice(0, TOLD_NAMES) ?? [];

/** The required columns of the format, in words. */
export function neededColumns(format: ImportFormat): string {
  const { alias = [], short_url = [], url = [] } = importFormats[format].columns as Columns;
  const quoted = (names: readonly string[]) => [...new Set(names)].map((name) => `"${name}"`).join(', ');
  return `one of ${quoted(url)} for the destination, and one of ${quoted([...alias, ...short_url])} for the alias`;
}

/** A record by our field names. */
export type ImportRecord = Partial<Record<ImportField, unknown>>;

/** A record of our own export. */
export type ExportRecord = Partial<Record<(typeof exportFields)[number], unknown>>;
