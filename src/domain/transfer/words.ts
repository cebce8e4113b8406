import { foldMarks } from '../../engine/rules/input.ts';

/** Longer texts are none of these words. */
const MAX_WORD = 40;

/** A value as words are compared; empty for a list, an object and a long text. */
export function foldWord(value: unknown): string {
  const text = typeof value === 'object' ? '' : String(value);
  return text.length > MAX_WORD ? '' : foldMarks(text.trim());
}

const wordsIn = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(', ').map(foldMarks)));

/** Words that services and people write into cells, in the languages of the console and of spreadsheets. */
export const words = {
  /** Cells without a value. */
  nothing: wordsIn(
    'none, null, nil, undefined, na, n/a, #n/a, unset, not set, -, –, —, \\N, [], {}, kein, keine, aucun, aucune, ninguno, ninguna',
    'nessuno, nessuna, nenhum, nenhuma, geen, brak, yok, ingen, inget, intet, žádný, žádné',
  ),
  no: wordsIn(
    '0, 0.0, 0,0, false, no, off, n, f, never, nein, nie, niemals, falsch, non, faux, jamais, falso, nunca, nao, nee, onwaar, mai, nooit',
    'nigdy, fałsz, hayır, hayir, yanlış, yanlis, nej, nei, falskt, falsk, usann, aldrig, aldri, ne, nepravda, nikdy, nem, hamis, nu',
    'fals, ei, epätosi, нет, ложь, никогда, ні, хибність, いいえ, なし, 否, 无, 아니오',
  ),
  yes: wordsIn(
    '1, 1.0, 1,0, true, yes, on, y, t, x, ✓, ✔, ☑, ✅, ja, j, wahr, oui, o, vrai, sí, s, verdadero, sim, verdadeiro, vero, waar',
    'tak, prawda, evet, doğru, dogru, sant, sand, sann, ano, pravda, igen, igaz, da, adevărat, kyllä, tosi, да, истина, так, істина',
    'はい, あり, 是, 有, 예',
  ),
  /** No end, and no limit. */
  endless: wordsIn(
    'unlimited, no limit, infinite, infinity, ∞, forever, permanent, no expiry, no expiration, does not expire, never expires',
    'unbegrenzt, unbefristet, illimité, illimitée, sans limite, ilimitado, indefinido, sin límite, no expira, no caduca',
    'bez limitu, bezterminowo, bez ograniczeń, sınırsız, sinirsiz, süresiz, obegränsad, ubegrænset, ubegrenset, neomezeně',
    'без ограничений, бессрочно, бессрочная, 無制限, 無期限, 永久, 无限, 无限制, 永久有效',
  ),
  /** Without a password. */
  unprotected: wordsIn(
    'disabled, not enabled, inactive, unprotected, not protected, not required, deaktiviert, inaktiv, ungeschützt',
    'désactivé, inactif, non protégé, desactivado, inactivo, sin protección, wyłączone, uitgeschakeld, disattivato, desativado',
  ),
  active: wordsIn(
    'active, activated, enabled, live, published, online, open, ok, running, valid, aktiv, aktiviert, gültig, veröffentlicht',
    'actif, activé, activée, publié, valide, en ligne, activo, activa, activado, habilitado, publicado, válido, en línea',
    'attivo, attiva, attivato, abilitato, pubblicato, ativo, ativa, ativado, actief, ingeschakeld, gepubliceerd',
    'aktywny, aktywna, włączony, włączona, opublikowany, aktif, etkin, yayında, yayinda, aktivt, aktiverad, publicerad, aktiveret, aktivert',
    'aktivní, zapnuto, publikováno, активна, активно, активен, включена, включено, активне, активний, 有効, 公開, 公開中, 启用, 已启用, 正常, 有效',
  ),
  closed: wordsIn(
    'inactive, disabled, deactivated, paused, suspended, blocked, banned, expired, archived, stopped, closed, ended, draft',
    'pending, scheduled, unpublished, revoked, offline, locked, retired, cancelled, canceled, invalid, limited',
    'inaktiv, deaktiviert, gesperrt, pausiert, abgelaufen, archiviert, gestoppt, geschlossen, entwurf, beendet, ungültig',
    'inactif, désactivé, désactivée, bloqué, suspendu, expiré, archivé, fermé, brouillon, terminé, en pause',
    'inactivo, desactivado, deshabilitado, bloqueado, suspendido, caducado, expirado, archivado, cerrado, borrador, pausado',
    'inattivo, disattivato, disabilitato, bloccato, sospeso, scaduto, archiviato, bozza, inativo, desativado, suspenso',
    'arquivado, rascunho, inactief, uitgeschakeld, geblokkeerd, gepauzeerd, verlopen, gearchiveerd, concept',
    'nieaktywny, nieaktywna, wyłączony, wyłączona, zablokowany, zablokowana, wstrzymany, wstrzymana, wygasł, wygasła, wygasły, szkic',
    'zarchiwizowany, pasif, devre dışı, devre disi, engelli, süresi doldu, kapalı, kapali, taslak, arşivlendi, inaktivt, avstängd',
    'avaktiverad, utgången, utkast, arkiverad, deaktiveret, deaktivert, udløbet, utløpt, kladde, arkiveret, arkivert, neaktivní, vypnuto',
    'zakázáno, zablokováno, vypršelo, koncept, archivováno, неактивна, неактивно, неактивен, отключена, отключено, отключен',
    'заблокирована, заблокирован, истекла, истек, приостановлена, черновик, в архиве, вимкнено, неактивне, заблоковано',
    '無効, 停止, 停止中, 非公開, 期限切れ, 下書き, 禁用, 已禁用, 停用, 已停用, 已过期, 过期, 暂停, 已暂停, 草稿',
  ),
  deleted: wordsIn(
    'deleted, trashed, trash, in trash, removed, gelöscht, entfernt, papierkorb, im papierkorb, supprimé, supprimée',
    'corbeille, eliminado, eliminada, borrado, borrada, papelera',
    'eliminato, cancellato, cestino, excluído, apagado, removido, lixeira, verwijderd, prullenbak',
    'usunięty, usunięta, usunięto, w koszu, silindi, silinmiş, raderad, borttagen, slettet, smazáno, smazaný, odstraněno',
    'удалена, удалено, удален, в корзине, видалено, 削除済み, 删除, 已删除',
  ),
} as const;
