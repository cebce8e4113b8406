import { foldMarks } from '../input.ts';

/** Longer texts are none of these words. */
const MAX_WORD = 40;

/** A value as words are compared; empty for a list, an object and a long text. */
export function wordOf(value: unknown): string {
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
  ),
  no: wordsIn(
    '0, 0.0, 0,0, false, no, off, n, f, never, nein, nie, niemals, falsch, non, faux, jamais, falso, nunca, nao, nee, onwaar, mai, nooit',
  ),
  yes: wordsIn(
    '1, 1.0, 1,0, true, yes, on, y, t, x, ✓, ✔, ☑, ✅, ja, j, wahr, oui, o, vrai, sí, s, verdadero, sim, verdadeiro, vero, waar',
  ),
  /** No end, and no limit. */
  endless: wordsIn(
    'unlimited, no limit, infinite, infinity, ∞, forever, permanent, no expiry, no expiration, does not expire, never expires',
    'unbegrenzt, unbefristet, illimité, illimitée, sans limite, ilimitado, indefinido, sin límite, no expira, no caduca',
  ),
  active: wordsIn(
    'active, activated, enabled, live, published, online, open, ok, running, valid, aktiv, aktiviert, gültig, veröffentlicht',
    'actif, activé, activée, publié, valide, en ligne, activo, activa, activado, habilitado, publicado, válido, en línea',
    'attivo, attiva, attivato, abilitato, pubblicato, ativo, ativa, ativado, actief, ingeschakeld, gepubliceerd',
  ),
  closed: wordsIn(
    'inactive, disabled, deactivated, paused, suspended, blocked, banned, expired, archived, stopped, closed, ended, draft',
    'pending, scheduled, unpublished, revoked, offline, locked, retired, cancelled, canceled, invalid, limited',
    'inaktiv, deaktiviert, gesperrt, pausiert, abgelaufen, archiviert, gestoppt, geschlossen, entwurf, beendet, ungültig',
    'inactif, désactivé, désactivée, bloqué, suspendu, expiré, archivé, fermé, brouillon, terminé, en pause',
    'inactivo, desactivado, deshabilitado, bloqueado, suspendido, caducado, expirado, archivado, cerrado, borrador, pausado',
    'inattivo, disattivato, disabilitato, bloccato, sospeso, scaduto, archiviato, bozza, inativo, desativado, suspenso',
    'arquivado, rascunho, inactief, uitgeschakeld, geblokkeerd, gepauzeerd, verlopen, gearchiveerd, concept',
  ),
  deleted: wordsIn(
    'deleted, trashed, trash, in trash, removed, gelöscht, entfernt, papierkorb, im papierkorb, supprimé, supprimée',
    'corbeille, eliminado, eliminada, borrado, borrada, papelera',
    'eliminato, cancellato, cestino, excluído, apagado, removido, lixeira, verwijderd, prullenbak',
  ),
} as const;
