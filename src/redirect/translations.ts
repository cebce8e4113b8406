import { languageAmong } from '../domain/visit/visitor.ts';
import { keysOf } from '../shared/keys-of.ts';

/** The texts of visitors' pages, in each supported language. */
const texts = {
  en: {
    notFound: ['We couldn’t find this link', 'Check the address for typos, or ask whoever shared it.'],
    disabled: ['This link is switched off', 'Ask whoever shared it for another one.'],
    blocked: ['This link is not available', 'It no longer leads anywhere.'],
    expired: ['This link has expired', 'Ask whoever shared it for a new one.'],
    password: ['Enter the password', 'This link is protected by a password.'],
    statisticsPassword: ['Enter the password', 'The statistics of this link are protected by a password.'],
    limited: ['Too many attempts', 'Wait a minute, then try again.'],
    unavailable: ['Temporarily unavailable', 'Try again in a moment.'],
    preview: [
      'Short link',
      'Open it in a browser to follow it. It works only a limited number of times, so programs and previews do not see where it leads.',
    ],
    moving: ['One moment', 'You are being redirected.'],
    wrong: 'Wrong password. Try again.',
    label: 'Password',
    submit: 'Continue',
    home: 'Go to the start page',
  },
  de: {
    notFound: [
      'Wir haben diesen Link nicht gefunden',
      'Prüfen Sie die Adresse auf Tippfehler, oder fragen Sie dort nach, wo Sie den Link bekommen haben.',
    ],
    disabled: [
      'Dieser Link ist abgeschaltet',
      'Fragen Sie dort, wo Sie ihn bekommen haben, nach einem anderen.',
    ],
    blocked: ['Dieser Link ist nicht verfügbar', 'Er führt nirgendwo mehr hin.'],
    expired: ['Dieser Link ist abgelaufen', 'Fragen Sie dort, wo Sie ihn bekommen haben, nach einem neuen.'],
    password: ['Passwort eingeben', 'Dieser Link ist durch ein Passwort geschützt.'],
    statisticsPassword: ['Passwort eingeben', 'Die Statistik dieses Links ist durch ein Passwort geschützt.'],
    limited: ['Zu viele Versuche', 'Warten Sie eine Minute, und versuchen Sie es dann erneut.'],
    unavailable: ['Vorübergehend nicht erreichbar', 'Versuchen Sie es gleich noch einmal.'],
    preview: [
      'Kurzlink',
      'Öffnen Sie ihn in einem Browser, um ihm zu folgen. Er funktioniert nur einige Male; darum erfahren Programme und Vorschauen sein Ziel nicht.',
    ],
    moving: ['Einen Augenblick', 'Sie werden weitergeleitet.'],
    wrong: 'Falsches Passwort. Versuchen Sie es erneut.',
    label: 'Passwort',
    submit: 'Weiter',
    home: 'Zur Startseite',
  },
  es: {
    notFound: [
      'No hemos encontrado este enlace',
      'Compruebe que la dirección no tenga errores o pregunte a quien se la dio.',
    ],
    disabled: ['Este enlace está desactivado', 'Pida otro a quien se lo dio.'],
    blocked: ['Este enlace no está disponible', 'Ya no lleva a ninguna parte.'],
    expired: ['Este enlace ha caducado', 'Pida uno nuevo a quien se lo dio.'],
    password: ['Introduzca la contraseña', 'Este enlace está protegido con una contraseña.'],
    statisticsPassword: [
      'Introduzca la contraseña',
      'Las estadísticas de este enlace están protegidas con una contraseña.',
    ],
    limited: ['Demasiados intentos', 'Espere un minuto y vuelva a intentarlo.'],
    unavailable: ['No disponible por el momento', 'Vuelva a intentarlo en un momento.'],
    preview: [
      'Enlace corto',
      'Ábralo en un navegador para seguirlo. Solo funciona un número limitado de veces, por lo que los programas y las vistas previas no ven adónde lleva.',
    ],
    moving: ['Un momento', 'Le estamos redirigiendo.'],
    wrong: 'Contraseña incorrecta. Inténtelo de nuevo.',
    label: 'Contraseña',
    submit: 'Continuar',
    home: 'Ir a la página de inicio',
  },
  fr: {
    notFound: [
      'Nous n’avons pas trouvé ce lien',
      'Vérifiez l’adresse, ou demandez à la personne qui vous l’a donnée.',
    ],
    disabled: ['Ce lien est désactivé', 'Demandez-en un autre à la personne qui vous l’a donné.'],
    blocked: ['Ce lien n’est pas disponible', 'Il ne mène plus nulle part.'],
    expired: ['Ce lien a expiré', 'Demandez-en un nouveau à la personne qui vous l’a donné.'],
    password: ['Entrez le mot de passe', 'Ce lien est protégé par un mot de passe.'],
    statisticsPassword: [
      'Entrez le mot de passe',
      'Les statistiques de ce lien sont protégées par un mot de passe.',
    ],
    limited: ['Trop de tentatives', 'Attendez une minute, puis réessayez.'],
    unavailable: ['Indisponible pour le moment', 'Réessayez dans un instant.'],
    preview: [
      'Lien court',
      'Ouvrez-le dans un navigateur pour le suivre. Il ne fonctionne qu’un nombre limité de fois : les ' +
        'programmes et les aperçus ne voient donc pas où il mène.',
    ],
    moving: ['Un instant', 'Vous allez être redirigé.'],
    wrong: 'Mot de passe incorrect. Réessayez.',
    label: 'Mot de passe',
    submit: 'Continuer',
    home: 'Aller à la page d’accueil',
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
