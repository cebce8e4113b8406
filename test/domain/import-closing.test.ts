import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { matchClosingField } from '../../src/domain/transfer/closing-columns.ts';
import { type Format, type ImportFormat, importFormats } from '../../src/domain/transfer/formats.ts';
import { importInto } from '../support/moving.ts';
import {
  type Caller,
  emptyServer,
  type RestLink,
  startTestServer,
  type TestServer,
} from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.caller();
});
afterEach(() => emptyServer(server));
afterAll(() => server.stop());

/** The fate of a link: it is skipped, disabled, open, starts or ends at a time, or has a limit of clicks. */
type Fate = 'skipped' | 'disabled' | 'open' | `starts ${string}` | `ends ${string}` | `${number} clicks`;

type Case = readonly [column: string, value: unknown, fate: Fate];

const aliases = async (): Promise<Map<unknown, RestLink>> => {
  const found = new Map<unknown, RestLink>();
  for (let page = 1; ; page++) {
    const { body } = await owner.rest('GET', `/links?per_page=100&sort=asc&page=${page}`);
    const { data } = body as { data: RestLink[] };
    for (const link of data) found.set(link.alias, link);
    if (data.length < 100) return found;
  }
};

function fateOf(link: RestLink | undefined): Fate {
  if (link === undefined) return 'skipped';
  if (link.disabled === 1) return 'disabled';
  if (typeof link.starts_at === 'string') return `starts ${link.starts_at}`;
  if (link.ends_at !== null) return `ends ${link.ends_at}`;
  return typeof link.expiration_clicks === 'number' ? `${link.expiration_clicks} clicks` : 'open';
}

/** A link in every format, called `c` and a number. */
const record = (index: number) => {
  const alias = `c${index}`;
  const names = { alias, slug: alias, keyword: alias, address: alias, slashtag: alias, key: alias };
  return {
    ...names,
    url: 'https://a.example/',
    target: 'https://a.example/',
    destination: 'https://a.example/',
  };
};

/** Imports a record with each column, and says what became of each. */
async function fates(cases: readonly Case[], format: ImportFormat = 'csv') {
  const records = cases.map(([column, value], index) => ({ ...record(index), [column]: value }));
  const report = await importInto(server, { text: JSON.stringify(records) }, { format });
  const links = await aliases();
  const found = cases.map(([column, value], index): Case => [column, value, fateOf(links.get(`c${index}`))]);
  return { found, report };
}

const FUTURE = '2031-05-06T07:08:09Z';
const ENDS = 'ends 2031-05-06T07:08:09.000Z';
const STARTS = 'starts 2031-05-06T07:08:09.000Z';

/** Columns that say yes or no. */
const flags = [
  ...[
    'disabled',
    'is disabled',
    'isDisabled',
    'Link disabled',
    'is_inactive',
    'Deactivated',
    'banned',
    'is_banned',
  ],
  ...[
    'Blocked',
    'suspended',
    'is_paused',
    'expired',
    'has expired',
    'Closed',
    'revoked',
    'deaktiviert',
    'Gesperrt',
  ],
  ...[
    'désactivé',
    'bloqué',
    'desactivado',
    'Deshabilitado',
    'caducado',
    'password protected',
    'has_password',
  ],
  ...[
    'is_password_protected',
    'Protected',
    'requiresPassword',
    'Passwortgeschützt',
    'mot de passe',
    'contraseña',
  ],
];

/** Columns that say yes for links that are open. */
const opposite = [
  ...[
    'active',
    'is_active',
    'isActive',
    'Link active',
    'enabled',
    'is_enabled',
    'published',
    'Aktiv',
    'actif',
    'Activo',
  ],
];

const deleted = [
  ...[
    'deleted',
    'is_deleted',
    'isDeleted',
    'trashed',
    'in trash',
    'is_trashed',
    'Removed',
    'gelöscht',
    'supprimé',
  ],
  ...['eliminado', 'Papierkorb'],
];

const ends = [
  ...[
    'expires',
    'expires on',
    'expires_at',
    'expiresAt',
    'Expire Date',
    'expiration',
    'Expiration date',
    'expiry',
  ],
  ...[
    'expiry_time',
    'expireAt',
    'valid until',
    'validUntil',
    'valid_to',
    'Valid till',
    'valid through',
    'End date',
  ],
  ...[
    'ends_at',
    'endsAt',
    'active until',
    'link_expires_at',
    'Available until',
    'Ablaufdatum',
    'Läuft ab am',
  ],
  ...[
    'gültig bis',
    'Enddatum',
    "Date d'expiration",
    'Expire le',
    "Valable jusqu'au",
    'Date de fin',
    'Fecha de caducidad',
  ],
  ...['Caduca el', 'válido hasta', 'Fecha de vencimiento', 'vence', 'Expires at (UTC)'],
];

const starts = [
  ...[
    'valid since',
    'validSince',
    'valid from',
    'starts_at',
    'startsAt',
    'Start date',
    'active from',
    'activeFrom',
  ],
  ...[
    'Active since',
    'activation date',
    'publish at',
    'Gültig ab',
    'Aktiv ab',
    'Startdatum',
    'Date de début',
  ],
  ...['Valable à partir du', 'Fecha de inicio', 'válido desde', 'available from', 'go live'],
];

const limits = [
  ...[
    'max clicks',
    'maxClicks',
    'max_visits',
    'Max Visits',
    'click limit',
    'clickLimit',
    'Visit limit',
    'Maximum clicks',
  ],
  ...[
    'max uses',
    'Usage limit',
    'Click cap',
    'Klicklimit',
    'max. Klicks',
    'Limite de clics',
    'Máximo de clics',
  ],
];

const NO = [
  '',
  false,
  'false',
  'FALSE',
  0,
  '0',
  'no',
  'No',
  null,
  'null',
  'off',
  'never',
  '-',
  'FALSCH',
  'non',
];
const YES = [
  true,
  'true',
  'TRUE',
  1,
  '1',
  'yes',
  'Yes',
  'on',
  'x',
  '✓',
  'ja',
  'oui',
  'sí',
  'WAHR',
  'VRAI',
  'VERDADERO',
];

/** Names of people's sheets, templates and services that are less common, each with a value that closes. */
const lessCommon: readonly Case[] = [
  // Hints in brackets, as templates have them.
  ['Active (Y/N)', 'N', 'disabled'],
  ['Aktiv (ja/nein)', 'nein', 'disabled'],
  ['Disabled (yes/no)', 'yes', 'disabled'],
  ['Deleted [true/false]', 'true', 'skipped'],
  ['Password (optional)', 'yes', 'disabled'],
  ['Expiry date (dd/mm/yyyy)', '31/12/2030', 'disabled'],
  ['Expires at (optional, leave empty for links that never expire)', FUTURE, ENDS],
  ['Max clicks (optional)', 5, '5 clicks'],
  // What stands before and behind a name.
  ['Gelöscht am', '2024-01-01', 'skipped'],
  ['Supprimé le', '2024-01-01', 'skipped'],
  ['Eliminado el', '2024-01-01', 'skipped'],
  ['Date de suppression', '2024-01-01', 'skipped'],
  ['fecha de eliminación', '2024-01-01', 'skipped'],
  ['date_deleted', '2024-01-01', 'skipped'],
  ['deleted_by', 'ann', 'skipped'],
  ['Deaktiviert am', '2024-01-01', 'disabled'],
  ['Gesperrt seit', '2024-01-01', 'disabled'],
  ['Désactivé le', '2024-01-01', 'disabled'],
  ['date_disabled', '2024-01-01', 'disabled'],
  ['Fecha de desactivación', '2024-01-01', 'disabled'],
  ['disabled_reason', 'reported as spam', 'disabled'],
  ['banned_by_id', 7, 'disabled'],
  ['date_expires', FUTURE, ENDS],
  ['Date of expiry', FUTURE, ENDS],
  ['expiry_ts', 1_936_000_000, 'ends 2031-05-08T09:46:40.000Z'],
  ['Date limite', FUTURE, ENDS],
  ['Exp. date', FUTURE, ENDS],
  ['not_after', FUTURE, ENDS],
  ['valid upto', FUTURE, ENDS],
  ['Validity', FUTURE, ENDS],
  ['Closing date', FUTURE, ENDS],
  ['stop date', FUTURE, ENDS],
  ['Visible until', FUTURE, ENDS],
  ['Gültigkeit', FUTURE, ENDS],
  ['online bis', FUTURE, ENDS],
  ['válida hasta', FUTURE, ENDS],
  ['vigente hasta', FUTURE, ENDS],
  ['launch date', FUTURE, STARTS],
  // Italian, Portuguese and Dutch.
  ['Attivo', 'no', 'disabled'],
  ['Disattivato', 'sì', 'disabled'],
  ['Eliminato', 'vero', 'skipped'],
  ['Data di scadenza', FUTURE, ENDS],
  ['Scade il', FUTURE, ENDS],
  ['Stato', 'scaduto', 'disabled'],
  ['Ativo', 'não', 'disabled'],
  ['Excluído', 'sim', 'skipped'],
  ['Expira em', FUTURE, ENDS],
  ['Válido até', FUTURE, ENDS],
  ['Senha', 'sim', 'disabled'],
  ['Limite de cliques', 10, '10 clicks'],
  ['Actief', 'nee', 'disabled'],
  ['Uitgeschakeld', 'ja', 'disabled'],
  ['Verwijderd op', '2024-01-01', 'skipped'],
  ['Verloopt op', FUTURE, ENDS],
  ['Geldig tot', FUTURE, ENDS],
  ['Wachtwoord', 'ja', 'disabled'],
  // The usual ones of other languages.
  ['Wygasa', FUTURE, ENDS],
  ['Data wygaśnięcia', FUTURE, ENDS],
  ['Aktywny', 'nie', 'disabled'],
  ['Wyłączony', 'tak', 'disabled'],
  ['WYLACZONY', 'PRAWDA', 'disabled'],
  ['Usunięty', 'tak', 'skipped'],
  ['Hasło', 'brak', 'open'],
  ['Limit kliknięć', 10, '10 clicks'],
  ['Stan', 'nieaktywny', 'disabled'],
  ['Etkin', 'hayır', 'disabled'],
  ['AKTIF', 'HAYIR', 'disabled'],
  ['Bitiş tarihi', FUTURE, ENDS],
  ['Durum', 'pasif', 'disabled'],
  ['Utgår', FUTURE, ENDS],
  ['Slettet', 'ja', 'skipped'],
  ['Aktiv', 'nej', 'disabled'],
  ['Neaktivní', 'ano', 'disabled'],
  ['Platnost do', FUTURE, ENDS],
  ['Срок действия', FUTURE, ENDS],
  ['Активна', 'нет', 'disabled'],
  ['Статус', 'отключена', 'disabled'],
  ['有効期限', FUTURE, ENDS],
  ['ステータス', '無効', 'disabled'],
  ['启用', '否', 'disabled'],
  ['到期时间', FUTURE, ENDS],
  // A protection that is off.
  ['Password Enabled', 'Disabled', 'open'],
  ['Password Enabled', 'Enabled', 'disabled'],
  ['Password protection', 'inactive', 'open'],
  ['Passwortschutz', 'Deaktiviert', 'open'],
  ['Password Enabled', 'locked', 'disabled'],
  // Other words.
  ['is_live', false, 'disabled'],
  ['Online', 'no', 'disabled'],
  ['is_draft', true, 'disabled'],
  ['invalid', true, 'disabled'],
  ['terminated', 'yes', 'disabled'],
  ['frozen', 1, 'disabled'],
  ['secret_key', 'a1b2', 'disabled'],
  ['passphrase', 'moon', 'disabled'],
  ['pwd', 'moon', 'disabled'],
  ['hashed_password', '$2b$10$abc', 'disabled'],
  ['Mit Passwort', 'ja', 'disabled'],
  ['con contraseña', 'sí', 'disabled'],
  ['expire_at_views', 100, '100 clicks'],
  ['max_click', 100, '100 clicks'],
  ['Max. clicks allowed', 100, '100 clicks'],
  ['Límite de clicks', 100, '100 clicks'],
  ['Maximale Anzahl Klicks', 100, '100 clicks'],
  ['one_time', 'yes', 'disabled'],
  ['single use', 1, '1 clicks'],
];

test('reads less common names of columns that close links, with hints in brackets', async () => {
  const open = lessCommon.map(([column]): Case => [column, '', 'open']);
  const all = [...lessCommon, ...open];
  expect((await fates(all)).found).toEqual(all);
});

test('takes no other column of services for one that closes links', () => {
  const passwords = new Set(importFormats.csv.columns.password);
  const others = [
    ...Object.values(importFormats).flatMap(({ columns }: Format) => Object.values(columns).flat()),
    ...[
      'published by',
      'created by',
      'end of line',
      'date created',
      'date',
      'status code',
      'limit',
      'link id',
    ],
    ...[
      'secret santa',
      'spam score',
      'cloaking',
      'redirect type',
      'human clicks',
      'unique clicks',
      'am',
      'le',
    ],
    ...[
      'expired url',
      'expiry destination',
      'hide referrer',
      'utm campaign',
      'notes',
      'folder',
      'owner',
      '(x)',
    ],
  ].filter((name) => !/pass/i.test(name) && !passwords.has(name));
  expect(others.filter((name) => matchClosingField(name) !== undefined)).toEqual([]);
});

const named: readonly Case[] = [
  ...flags.map((column): Case => [column, 'yes', 'disabled']),
  ...opposite.map((column): Case => [column, 'no', 'disabled']),
  ...opposite.map((column): Case => [column, true, 'open']),
  ...deleted.map((column): Case => [column, 1, 'skipped']),
  ...ends.map((column): Case => [column, FUTURE, ENDS]),
  ...starts.map((column): Case => [column, FUTURE, STARTS]),
  ...starts.map((column): Case => [column, '2020-01-01', 'open']),
  ...limits.map((column): Case => [column, 25, '25 clicks']),
  ...[...flags, ...deleted, ...ends, ...starts, ...limits].flatMap((column) =>
    ['0', false, 'no', ''].map((value): Case => [column, value, 'open']),
  ),
];

const formats = Object.keys(importFormats) as ImportFormat[];

test.each(formats)(
  'reads the columns that close links in the format %s, under all their names',
  async (format) => {
    const { found, report } = await fates(named, format);
    expect(found).toEqual(named);
    expect(report).toMatchObject({ lines: named.length, refused: deleted.length });
  },
);

/** Values of columns of each kind. */
const valued: readonly Case[] = [
  ...NO.flatMap((value): Case[] => [
    ['banned', value, 'open'],
    ['password protected', value, 'open'],
    ['is deleted', value, 'open'],
    ['expires on', value, 'open'],
    ['max clicks', value, 'open'],
    ['active from', value, 'open'],
  ]),
  ...YES.flatMap((value): Case[] => [
    ['banned', value, 'disabled'],
    ['password protected', value, 'disabled'],
    ['is deleted', value, 'skipped'],
    ['is active', value, 'open'],
    ['enabled', value, 'open'],
    ['expires on', value, 'disabled'],
    ['active from', value, 'disabled'],
  ]),
  ...[false, 'false', 0, '0', 'no', 'nein', 'FALSCH', 'off', 'inactive', 'disabled'].flatMap(
    (value): Case[] => [
      ['is active', value, 'disabled'],
      ['enabled', value, 'disabled'],
    ],
  ),
  ['is active', '', 'open'],
  ['is active', null, 'open'],
  ['active', 'active', 'open'],
  ['max clicks', 'yes', 'disabled'],
  ['max clicks', 'many', 'disabled'],
  ['max clicks', 'unlimited', 'open'],
  ['max clicks', '1,000', '1000 clicks'],
  ['max clicks', '100.0', '100 clicks'],
  ['max clicks', '100.00', '100 clicks'],
  // German and Spanish for a thousand.
  ['max clicks', '1.000', 'disabled'],
  ['max clicks', '25.000', 'disabled'],
  // Times.
  ['deleted at', '2024-01-01 10:00:00', 'skipped'],
  ['deleted_at', 1_700_000_000, 'skipped'],
  ['deletedAt', FUTURE, ENDS],
  ['banned_at', '2024-01-01T00:00:00Z', 'disabled'],
  ['disabled at', FUTURE, ENDS],
  ['activated at', '2024-01-01', 'open'],
  ['published at', FUTURE, STARTS],
  ['expiration', '1936000000', 'ends 2031-05-08T09:46:40.000Z'],
  ['expiration', 1_936_000_000, 'ends 2031-05-08T09:46:40.000Z'],
  ['expiration', '1936000000500', 'ends 2031-05-08T09:46:40.500Z'],
  ['expiration', '1600000000', 'ends 2020-09-13T12:26:40.000Z'],
  ...['30', 7, '20310506', '193600000', '19360000005', '1936000000500000', '-1', '1.5', '47119'].map(
    (value): Case => ['expiration', value, 'disabled'],
  ),
  ['valid until', '31.12.2030', 'ends 2030-12-31T00:00:00.000Z'],
  ['valid until', '31.12.2030 18:30', 'ends 2030-12-31T18:30:00.000Z'],
  ['valid until', '11/12/2030', 'disabled'],
  ['valid until', 'until further notice', 'disabled'],
  ['active from', 'soon', 'disabled'],
  ['banned', 'by an admin', 'disabled'],
  // States in words.
  ...['active', 'Active', 'ENABLED', 'live', 'published', 'aktiv', 'actif', 'activo', '1', true].map(
    (value): Case => ['status', value, 'open'],
  ),
  ...[
    'inactive',
    'Disabled',
    'expired',
    'archived',
    'paused',
    'blocked',
    'banned',
    'suspended',
    'draft',
    'deaktiviert',
    '0',
    'Not active',
    'nicht aktiv',
    'no activo',
    'Disabled by an admin',
    'Blocked (abuse)',
    'expired on 2024-01-01',
    'disabled by an administrator because of complaints',
    { id: 3, name: 'Disabled' },
    ['paused'],
  ].map((value): Case => ['Link status', value, 'disabled']),
  ...['deleted', 'Trashed', 'trash', 'removed', 'gelöscht', 'supprimé', 'eliminado'].map(
    (value): Case => ['state', value, 'skipped'],
  ),
  ['status', { id: 1, name: 'Active' }, 'open'],
  ['archived', true, 'disabled'],
  ['archived', 'no', 'open'],
  ['archived at', '2024-01-01', 'disabled'],
];

test('reads values as people and services write them', async () => {
  expect((await fates(valued)).found).toEqual(valued);
});

test('says what it could not carry over, with its column, and which rows it skipped', async () => {
  const text = [
    'url;alias;Expires on;Password protected;Active from;Status;Deleted at;Max clicks',
    'https://a.example/1;a;30;;;;;',
    'https://a.example/2;b;;yes;;;;',
    'https://a.example/3;c;;;2031-01-01;;;',
    'https://a.example/4;d;;;;paused;;',
    'https://a.example/5;e;;;;Approved by Ann;;',
    'https://a.example/6;f;;;;;2024-01-01;',
    'https://a.example/7;g;;;;;;many',
    'https://a.example/8;h;;no;;active;;0',
  ].join('\n');
  const { told, ...report } = await importInto(server, { text });
  expect(report).toMatchObject({ created: 7, refused: 1, unusedColumns: [] });
  expect(told.map(({ line, taken, column, message }) => [line, taken, column, message])).toEqual([
    [2, true, 'Expires on', 'is "30", which is no time: the link is disabled'],
    [3, true, null, 'had a password, which is not imported: it is disabled until it gets another one'],
    [5, true, null, 'has the status "paused": it is disabled'],
    [6, true, null, 'has the status "Approved by Ann", which is left out'],
    [7, false, 'Deleted at', 'says that the link was deleted: it is not imported'],
    [8, true, 'Max clicks', 'is "many", which is no number of clicks: the link is disabled'],
  ]);
  const links = await aliases();
  expect([...links].map(([alias, link]) => [alias, fateOf(link)])).toEqual(
    Object.entries({
      a: 'disabled',
      b: 'disabled',
      c: 'starts 2031-01-01T00:00:00.000Z',
      d: 'disabled',
      e: 'open',
      g: 'disabled',
      h: 'open',
    }),
  );
});

test('names the column that says that a link was deleted', async () => {
  const text = 'url,alias,Deleted,Deleted at\nhttps://a.example/1,a,no,2024-01-01\n';
  const { told } = await importInto(server, { text });
  expect(told).toMatchObject([{ line: 2, taken: false, column: 'Deleted at' }]);
});

test('the earliest of several ends and the smallest of several limits count, and any column closes', async () => {
  const text = [
    'url,alias,Expires at,Valid until,Disabled at,Max clicks,Visit limit,Disabled,Is active',
    'https://a.example/1,a,2031-05-06,never,2030-01-01,30,20,no,yes',
    'https://a.example/2,b,false,2031-05-06,,0,20,no,1',
    'https://a.example/3,c,,,,,,no,0',
  ].join('\n');
  expect(await importInto(server, { text })).toMatchObject({ created: 3, told: [], unusedColumns: [] });
  const { a, b, c } = Object.fromEntries(await aliases());
  expect(a).toMatchObject({ disabled: 0, ends_at: '2030-01-01T00:00:00.000Z', expiration_clicks: 20 });
  expect(b).toMatchObject({ disabled: 0, ends_at: '2031-05-06T00:00:00.000Z', expiration_clicks: 20 });
  expect(c).toMatchObject({ disabled: 1, ends_at: null, expiration_clicks: null });
});

test('takes a password from a sheet, but neither a yes nor a hash for one', async () => {
  const hash = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';
  const given = ['secret', 'yes', 'TRUE', '1', '••••••', '****', hash, 'no', 'false', ''];
  const text = [
    'url,alias,Passwort',
    ...given.map((value, index) => `https://a.example/,c${index},${value}`),
  ];
  await importInto(server, { text: text.join('\n') });
  const links = [...(await aliases()).values()];
  expect(links.map(({ has_password, disabled }) => [has_password, disabled])).toEqual([
    [true, 0],
    ...Array.from({ length: 6 }, () => [false, 1]),
    ...Array.from({ length: 3 }, () => [false, 0]),
  ]);
});

test('archived links of Bitly and Dub lead visitors on, and are archived here', async () => {
  for (const format of ['bitly', 'dub'] as const) {
    await emptyServer(server);
    owner = await server.caller();
    const { found, report } = await fates([['archived', true, 'open']], format);
    expect(found).toEqual([['archived', true, 'open']]);
    expect(report.unusedColumns).not.toContain('archived');
    expect([...(await aliases()).values()]).toMatchObject([{ archived: 1 }]);
  }
});

test('statistics that were not public stay private in every format that says so', async () => {
  const text =
    'url,alias,public_stats\nhttps://a.example/1,a,false\nhttps://a.example/2,b,true\nhttps://a.example/3,c,\n';
  expect(await importInto(server, { text })).toMatchObject({ created: 3, unusedColumns: [] });
  const links = await aliases();
  expect(['a', 'b', 'c'].map((alias) => links.get(alias)?.privacy)).toEqual([1, 0, 0]);
});
