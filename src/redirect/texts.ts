import { languageAmong } from '../domain/visit/visitor.ts';
import { keysOf } from '../shared/keys-of.ts';

/** The texts of visitors' pages, in each supported language. */
const texts = {
  en: {
    notFound: ['Link not found', 'There is no link at this address. Is it spelled right?'],
    disabled: ['This link is switched off', 'Whoever made it has switched it off.'],
    blocked: ['This link is not available', 'It no longer leads anywhere.'],
    expired: ['This link has ended', 'Its time is over, or it was used as often as it may be.'],
    password: ['Password needed', 'This link asks for a password.'],
    statisticsPassword: ['Password needed', 'The statistics of this link ask for a password.'],
    limited: ['Too many attempts', 'Please wait a minute before you try again.'],
    unavailable: ['Not available just now', 'Please try again in a moment.'],
    preview: [
      'Short link',
      'Open it in a browser. It may be used a limited number of times, so programs and previews are not shown where it leads.',
    ],
    moving: ['One moment', 'You are being sent on.'],
    wrong: 'That is not the right password.',
    label: 'Password',
    submit: 'Continue',
  },
  de: {
    notFound: [
      'Link nicht gefunden',
      'Unter dieser Adresse gibt es keinen Link. Ist sie richtig geschrieben?',
    ],
    disabled: ['Dieser Link ist abgeschaltet', 'Wer ihn angelegt hat, hat ihn abgeschaltet.'],
    blocked: ['Dieser Link ist nicht verfügbar', 'Er führt nirgendwo mehr hin.'],
    expired: ['Dieser Link ist abgelaufen', 'Seine Zeit ist um, oder er wurde so oft benutzt, wie er darf.'],
    password: ['Passwort nötig', 'Dieser Link verlangt ein Passwort.'],
    statisticsPassword: ['Passwort nötig', 'Die Statistik dieses Links verlangt ein Passwort.'],
    limited: ['Zu viele Versuche', 'Bitte warten Sie eine Minute, bevor Sie es erneut versuchen.'],
    unavailable: ['Gerade nicht erreichbar', 'Bitte versuchen Sie es gleich noch einmal.'],
    preview: [
      'Kurzlink',
      'Öffnen Sie ihn in einem Browser. Er darf nur einige Male benutzt werden; darum erfahren Programme und Vorschauen sein Ziel nicht.',
    ],
    moving: ['Einen Augenblick', 'Sie werden weitergeleitet.'],
    wrong: 'Das ist nicht das richtige Passwort.',
    label: 'Passwort',
    submit: 'Weiter',
  },
  es: {
    notFound: ['Enlace no encontrado', 'No hay ningún enlace en esta dirección. ¿Está bien escrita?'],
    disabled: ['Este enlace está desactivado', 'Quien lo creó lo ha desactivado.'],
    blocked: ['Este enlace no está disponible', 'Ya no lleva a ninguna parte.'],
    expired: ['Este enlace ha terminado', 'Se acabó su tiempo o ya se usó todas las veces permitidas.'],
    password: ['Se necesita una contraseña', 'Este enlace pide una contraseña.'],
    statisticsPassword: [
      'Se necesita una contraseña',
      'Las estadísticas de este enlace piden una contraseña.',
    ],
    limited: ['Demasiados intentos', 'Espere un minuto antes de volver a intentarlo.'],
    unavailable: ['No disponible por ahora', 'Vuelva a intentarlo en un momento.'],
    preview: [
      'Enlace corto',
      'Ábralo en un navegador. Solo puede usarse un número limitado de veces, por lo que los programas y las vistas previas no ven adónde lleva.',
    ],
    moving: ['Un momento', 'Le estamos redirigiendo.'],
    wrong: 'Esa no es la contraseña correcta.',
    label: 'Contraseña',
    submit: 'Continuar',
  },
  fr: {
    notFound: ['Lien introuvable', 'Il n’y a pas de lien à cette adresse. Est-elle bien écrite ?'],
    disabled: ['Ce lien est désactivé', 'La personne qui l’a créé l’a désactivé.'],
    blocked: ['Ce lien n’est pas disponible', 'Il ne mène plus nulle part.'],
    expired: ['Ce lien a expiré', 'Sa durée est passée, ou il a été utilisé autant de fois que permis.'],
    password: ['Mot de passe requis', 'Ce lien demande un mot de passe.'],
    statisticsPassword: ['Mot de passe requis', 'Les statistiques de ce lien demandent un mot de passe.'],
    limited: ['Trop de tentatives', 'Veuillez attendre une minute avant de réessayer.'],
    unavailable: ['Indisponible pour le moment', 'Veuillez réessayer dans un instant.'],
    preview: [
      'Lien court',
      'Ouvrez-le dans un navigateur. Il ne peut servir qu’un nombre limité de fois : sa destination n’est donc pas montrée aux programmes ni aux aperçus.',
    ],
    moving: ['Un instant', 'Vous allez être redirigé.'],
    wrong: 'Ce n’est pas le bon mot de passe.',
    label: 'Mot de passe',
    submit: 'Continuer',
  },
} as const;

type Language = keyof typeof texts;
type Texts = (typeof texts)[Language];
/** The messages of pages about the outcome of a visit. */
export type Message =
  | 'notFound'
  | 'disabled'
  | 'blocked'
  | 'expired'
  | 'password'
  | 'statisticsPassword'
  | 'limited'
  | 'unavailable'
  | 'preview'
  | 'moving';

/** The supported language that the visitor prefers, English if none, with its texts. */
export function textsFor(acceptLanguage: string): { language: Language; texts: Texts } {
  const known = keysOf(texts);
  const liked = languageAmong(known, { acceptLanguage });
  const language = known.find((one) => one === liked) ?? 'en';
  return { language, texts: texts[language] };
}
