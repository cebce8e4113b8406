import { foldMarks } from '../../engine/rules/input.ts';

/**
 * The columns that close a link to visitors, now or later, in every format: as services name them in their exports, and people
 * in their sheets, in the languages of the console, and the usual ones in others. Some words before and behind them make no
 * difference.
 */
const names = {
  disabled: [
    'taken down, takedown, malicious, phishing, unsafe, limit reached, click limit reached, disabled, disable',
    'deactivated, deactivate, deactivation, inactive, banned, ban, blocked, suspended, paused, stopped',
    'closed, expired, ended, revoked, cancelled, canceled, retired, unpublished, offline, locked, blacklisted',
    'quarantined, spam, turned off, switched off, deaktiviert, gesperrt, inaktiv, pausiert, abgeschaltet',
    'ausgeschaltet, abgelaufen, blockiert, désactivé, désactivée, inactif, bloqué, bloquée, suspendu',
    'suspendue, banni, fermé, expirée, desactivado, deshabilitado, inhabilitado, inactivo, bloqueado',
    'suspendido, pausado, caducado, expirado, cerrado, vencido, terminated, frozen, invalid, invalidated',
    'unavailable, abuse, malware, draft, entwurf, brouillon, borrador, deaktivierung, sperrung, gesperrt von',
    'deaktiviert von, désactivation, désactivée par, désactivé par, desactivación, baja, disabled by',
    'deactivated by, banned by, banned by id, blocked by, suspended by, disabled reason, disable reason',
    'deactivation reason, ban reason, banned reason, block reason, blocked reason, suspension reason',
    'disattivato, disattivata, disabilitato, bloccato, sospeso, inattivo, scaduto, scaduta, desativado, desativada',
    'desabilitado, suspenso, inativo, uitgeschakeld, gedeactiveerd, geblokkeerd, inactief, gepauzeerd, verlopen',
    'wyłączony, wyłączona, nieaktywny, nieaktywna, zablokowany, zablokowana, wstrzymany, wygasł, wygasła, wygasły',
    'devre dışı, devre disi, pasif, engelli, askıda, askida, süresi doldu, kapalı, kapali, avstängd, avaktiverad, inaktiverad',
    'spärrad, utgången, deaktiveret, deaktivert, inaktivt, spærret, sperret, udløbet, utløpt, zakázáno, zakázaný, vypnuto',
    'neaktivní, deaktivováno, zablokováno, vypršelo, отключена, отключено, отключен, неактивна, неактивно, неактивен',
    'заблокирована, заблокировано, заблокирован, истекла, истек, вимкнено, заблоковано, 無効, 停止, 停止中, 禁用, 停用, 已禁用, 已停用, 已过期',
  ],
  /** Those that say no are closed. */
  active: [
    'valid, available, gültig, verfügbar, valide, disponible, válido, active, activated, enabled, published',
    'aktiv, aktiviert, eingeschaltet, freigeschaltet, veröffentlicht, actif, activée, publié, activo, activa',
    'activado, habilitado, publicado, live, online, en ligne, en línea, freigegeben',
    'attivo, attiva, abilitato, pubblicato, ativo, ativa, actief, ingeschakeld, gepubliceerd',
    'aktywny, aktywna, włączony, włączona, opublikowany, aktif, etkin, yayında, yayinda, aktivt, aktiverad, publicerad, aktiveret',
    'aktivert, publiceret, publisert, aktivní, zapnuto, povoleno, publikováno, активна, активно, активен, включена, включено',
    'включен, активне, активний, увімкнено, 有効, 公開, 公開中, 启用, 已启用, 有效',
  ],
  archived: [
    'archived, archive, archiviert, archivé, archivée, archivado, archivada, archiviato, arquivado, gearchiveerd',
    'zarchiwizowany, zarchiwizowana, arşivlendi, arkiverad, arkiveret, arkivert, archivováno, в архиве, アーカイブ, 已归档',
  ],
  deleted: [
    'deleted, delete, deletion, soft deleted, trashed, trash, in trash, removed, removal, binned, gelöscht',
    'geloescht, entfernt, papierkorb, im papierkorb, supprimé, supprimée, suppression, corbeille',
    'dans la corbeille, eliminado, eliminada, borrado, borrada, papelera, en la papelera, löschung, eliminación',
    'deleted by, deleted by id, removed by, trashed by, gelöscht von, supprimé par, eliminado por',
    'eliminato, eliminata, cancellato, cancellata, cestino, nel cestino, excluído, excluída, apagado, removido, lixeira',
    'na lixeira, verwijderd, prullenbak, in prullenbak',
    'usunięty, usunięta, usunięto, skasowany, w koszu, kosz, silindi, silinmiş, çöp kutusu, raderad, borttagen, papperskorg',
    'slettet, papirkurv, smazáno, smazaný, odstraněno, v koši, удалена, удалено, удален, в корзине, видалено, 削除済み, 削除, 已删除, 删除',
  ],
  has_password: [
    'password, password protected, password protection, password enabled, password required, protected',
    'password set, password hash, requires password, needs password, with password, passcode, passwort',
    'passwortschutz, passwortgeschützt, passwortgeschuetzt, passwort geschützt, geschützt, kennwort',
    'kennwortgeschützt, mot de passe, protégé, protégée, protégé par mot de passe, contraseña, protegido',
    'protegido con contraseña, protegido por contraseña, protegida, password protect, password hashed',
    'hashed password, encrypted password, passphrase, pass phrase, pwd, pw, secret key, secret, access code',
    'mit passwort, mit kennwort, avec mot de passe, con contraseña',
    'protetto, protetto da password, con password, senha, com senha, protegido por senha, wachtwoord, met wachtwoord',
    'beveiligd, beveiligd met wachtwoord',
    'hasło, z hasłem, chroniony hasłem, şifre, şifreli, parola, lösenord, lösenordsskyddad, adgangskode, med adgangskode, passord',
    'heslo, chráněno heslem, пароль, с паролем, защищена паролем, パスワード, 密码, 访问密码',
  ],
  expires_at: [
    'valid end, validity end, end of validity, active end, expire on, stops, open until, open till, expires',
    'expire, expiry, expiration, expires in, expire in, expires after, expire after, ttl, expired at',
    'expired on, expired date, time to live, lifetime, valid until, valid till, valid to, valid through',
    'valid thru, active until, active till, active to, available until, available till, available to',
    'live until, online until, ends, end, closes, ablauf, ablaufdatum, läuft ab, läuft ab am, laeuft ab am',
    'gültig bis, gueltig bis, aktiv bis, verfällt, verfällt am, verfallsdatum, endet, endet am, ende',
    "enddatum, expire le, date d'expiration, valable jusqu'au, valable jusqu'à, valide jusqu'au",
    "actif jusqu'au, jusqu'au, fin, date de fin, échéance, date d'échéance, caduca, caduca el, caducidad",
    'fecha de caducidad, expira, expira el, expiración, fecha de expiración, vence, vence el, vencimiento',
    'fecha de vencimiento, válido hasta, activo hasta, fecha de fin, fecha fin, termina, termina el',
    'exp date, exp time, not after, not valid after, valid upto, valid up to, validity, visible until',
    'visible till, visible to, closing, close, stop, terminates, termination, gültigkeit, gültigkeit bis',
    'verfügbar bis, sichtbar bis, online bis, live bis, date limite, validité, fin de validité',
    "disponible jusqu'au, visible jusqu'au, en ligne jusqu'au, válida hasta, activa hasta, vigente hasta",
    'vigencia, vigencia hasta, disponible hasta, visible hasta, fecha límite, validez',
    'scade, scade il, scadenza, data di scadenza, data scadenza, valido fino al, valido fino a, attivo fino al',
    'data di fine, data fine, expira em, expiração, data de expiração, validade, válido até, ativo até, vence em',
    'data de vencimento, data de término, término, data final, verloopt, verloopt op, vervalt op, vervaldatum',
    'geldig tot, geldig tot en met, actief tot, einddatum',
    'wygasa, wygaśnięcie, data wygaśnięcia, termin ważności, ważny do, ważna do, data ważności, data końcowa, data zakończenia',
    'aktywny do, son kullanma tarihi, bitiş tarihi, bitis tarihi, bitiş, geçerlilik tarihi, son tarih, upphör, upphör att gälla',
    'utgår, utgångsdatum, giltig till, giltig till och med, slutdatum, udløber, udløbsdato, gyldig til, slutdato, utløper',
    'utløpsdato, vyprší, platnost do, platné do, datum vypršení, datum ukončení, konec, истекает, срок действия, действует до',
    'действительна до, дата окончания, дата истечения, термін дії, дійсне до, 有効期限, 期限, 終了日, 終了日時, 过期时间, 到期时间',
    '过期日期, 到期日期, 到期日, 有效期, 有效期至, 结束时间, 结束日期, 失效时间',
  ],
  expiration_clicks: [
    'expire clicks, expires clicks, expiry clicks, clicks to expire, clicks allowed, expiration clicks',
    'max clicks, max visits, maximum clicks, maximum visits, max click count, max visit count',
    'max number of clicks, maximum number of clicks, max number of visits, clicks max, visits max',
    'click limit, clicks limit, visit limit, visits limit, limit clicks, limit visits, limit of clicks',
    'click cap, max uses, maximum uses, usage limit, use limit, max usage, max hits, hit limit, max views',
    'view limit, max opens, max redirects, redirect limit, max scans, scan limit, allowed clicks',
    'expires after clicks, expire after clicks, expires after visits, klicklimit, max klicks, maximale klicks',
    'klicks max, max aufrufe, maximale aufrufe, max besuche, besuchslimit, limite de clics, max clics',
    'clics max, clics maximum, maximum de clics, nombre max de clics, nombre maximal de clics',
    'nombre maximum de clics, limite de visites, max visites, visites max, límite de clics, clics máximos',
    'máximo de clics, número máximo de clics, límite de visitas, max visitas, visitas máximas',
    'máximo de visitas, max click, max clicks allowed, maximum clicks allowed, total clicks allowed, hits limit',
    'uses limit, views limit, scans limit, click quota, expire at clicks, expires at clicks, expire views',
    'expire at views, expires at views, expire after views, expires after views, expiry views',
    'expiration views, click expiration, click expiry, max klickzahl, maximale klickzahl, max anzahl klicks',
    'maximale anzahl klicks, limite clicks, limite de clicks, max de clics, one time, one time use',
    'one time link, single use, einmalig, usage unique, un solo uso',
    'limite di clic, clic massimi, max clic, numero massimo di clic, limite de cliques, máximo de cliques, max cliques',
    'kliklimiet, max kliks, maximum aantal kliks, max aantal kliks',
    'limit kliknięć, maksymalna liczba kliknięć, max kliknięć, tıklama sınırı, tiklama siniri, tıklama limiti, maksimum tıklama',
    'klickgräns, max antal klick, max klick, klikgrænse, maks klik, klikkgrense, maks klikk, limit kliknutí, max kliknutí',
    'лимит кликов, максимум кликов, лимит переходов, クリック上限, 最大クリック数, 点击上限, 最大点击数, 点击次数限制',
  ],
  starts_at: [
    'valid start, validity start, start of validity, active start, open from, valid since, valid from',
    'active from, active since, active after, available from, available since, live from, online from, starts',
    'start, begins, begin, not before, scheduled, schedule, scheduled for, enabled from, activates',
    'activate, activation, publish, publishes, go live, goes live, visible from, gültig ab, gueltig ab',
    'gültig von, gültig seit, aktiv ab, aktiv seit, beginn, beginnt, beginnt am, startet, startet am',
    'startdatum, verfügbar ab, valable à partir du, valable dès, valide à partir du, actif à partir du',
    'actif depuis, à partir du, début, date de début, commence le, válido desde, activo desde',
    'disponible desde, inicio, fecha de inicio, comienza, comienza el, empieza, empieza el, launch date, launches',
    'publication date, not valid before, online ab, sichtbar ab, live ab, válida desde, activa desde, vigente desde',
    'valido dal, attivo dal, data di inizio, data inizio, válido a partir de, ativo a partir de, data de início',
    'geldig vanaf, geldig van, actief vanaf, begindatum, startdatum',
    'ważny od, ważna od, aktywny od, data rozpoczęcia, data początkowa, başlangıç tarihi, baslangic tarihi, geçerlilik başlangıcı',
    'giltig från, gäller från, gyldig fra, startdato, platnost od, platné od, datum zahájení, začátek, действует с, дата начала',
    'начало, дата початку, 開始日, 開始日時, 公開日, 开始时间, 开始日期, 生效时间',
  ],
  status: [
    'status, state, zustand, statut, état, estado, estatus, stato, situação, stan, durum, tillstånd, tilstand, stav, статус',
    'состояние, стан, ステータス, 状態, 状态',
  ],
} as const satisfies Record<string, readonly string[]>;

/** A field by which a link may be closed. */
export type ClosingField = keyof typeof names;

/** Returns true for the name of such a field. */
export const isClosing = (field: string): field is ClosingField => Object.hasOwn(names, field);

/** A column's name as names are compared: case, spaces, accents and punctuation do not matter. */
export const plainName = (name: string): string => foldMarks(name).replace(/[^\p{L}\p{N}]/gu, '');

const fields: ReadonlyMap<string, ClosingField> = new Map(
  Object.entries(names).flatMap(([field, all]) =>
    // Object.entries loses the type of the keys.
    all.flatMap((line) =>
      line.split(', ').map((name): [string, ClosingField] => [plainName(name), field as ClosingField]),
    ),
  ),
);

/** Words before and after a column's name, as in `link_is_disabled`, `expiration_date_utc`, `wurde gelöscht`. */
const BEFORE = [
  /^(?:meta)?(?:short)?(?:link|url)?/,
  /^(?:meta)?(?:short)?(?:link|url)?(?:is|was|has(?:been)?)/,
  /^(?:ist|wurde|est|esta)/,
  /^(?:date|datum|fecha|time|dt)/,
  /^(?:date|datum|fecha)(?:of|der|dela|de|d)/,
];
const BEHIND = /(?:at|on|date|datum|time|timestamp|utc|gmt|flag|ts|dt|am|seit|le|el|il|em|op)$/;
/** A hint behind a name, such as `(yes/no)`. */
const HINT = /\s*[([{][^()[\]{}]*[)\]}]\s*\*?\s*$/;
/** Longer names are none of these. */
const MAX_NAME = 60;

function matchField(name: string): ClosingField | undefined {
  const shorter = name.replace(BEHIND, '');
  return fields.get(name) ?? (shorter === name ? undefined : matchField(shorter));
}

/** Names that are longer with their hints are none of these. */
const MAX_HINTED = 200;

/** The field of a column that closes links; undefined for any other column. */
export function matchClosingField(column: string): ClosingField | undefined {
  if (column.length > MAX_HINTED) return undefined;
  const own = namedField(column);
  const bare = column.replace(HINT, '');
  return own ?? (bare === column ? undefined : namedField(bare));
}

function namedField(column: string): ClosingField | undefined {
  if (column.length > MAX_NAME) return undefined;
  const name = plainName(column);
  // Most names have nothing before them, and are looked up once.
  const all = new Set([name, ...BEFORE.map((before) => name.replace(before, ''))]);
  return [...all].map(matchField).find((field) => field !== undefined);
}
