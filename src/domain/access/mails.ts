import type { Data } from '../../db/database.ts';
import type { Mail } from '../../engine/outgoing/mail.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { languageOfTexts } from '../visit/visitor.ts';
import { hashToken } from './actor.ts';
import { countGuess } from './guesses.ts';
import type { Asker } from './strangers.ts';

/** Maximum number of mails per hour and counter: password links to an address, other mails to it, mails by a user. */
const MAX_MAILED = 3;

interface MailLimit {
  /** Maximum number of mails per hour. */
  readonly max?: number;
  /** The stranger who causes the mail, if one does. */
  readonly asker?: Asker | null;
}

/**
 * Counts a mail and returns true if it may be sent. The parts of a name choose the counter, which all processes share
 * and nothing resets. Links for new passwords have a counter of their own, so that others cannot use it up.
 * @throws DomainError RATE_LIMITED if the stranger causes too many
 */
export async function mayMail(
  db: Data,
  counted: readonly [what: 'account' | 'address' | 'reset' | 'user', which: string | number],
  now: Date,
  { max = MAX_MAILED, asker = null }: MailLimit = {},
): Promise<boolean> {
  return (await countGuess(db, hashToken(nameFor('mail', ...counted)), asker, now)).count <= max;
}

/** A name on one line, without what could be taken for more of the mail, or what mail programs make a link of. */
const plain = (name: string) => name.replace(/[\p{C}\p{Z}]+|[.:/\\@。．｡]+(?=\S)/gu, ' ').trim();

type Kind = 'invitation' | 'reset' | 'confirmation' | 'changed';
type Wording = Readonly<
  Record<Kind, { readonly subject: string; readonly before: string; readonly after: string }>
>;

const wordings: Readonly<Record<'en' | 'de' | 'fr' | 'es', Wording>> = {
  en: {
    invitation: {
      subject: 'Invitation to {account}',
      before: '{inviter} invites you to {account} on Linkspace. This link is good for 7 days:',
      after: 'If you do not know why you get this mail, ignore it.',
    },
    reset: {
      subject: 'A new password',
      before: 'You can set a new password for Linkspace by this link, once, within an hour:',
      after: 'If you did not ask for it, ignore this mail: your password stays.',
    },
    confirmation: {
      subject: 'Confirm your email address',
      before: 'This link makes this the address that you sign in with, within a day:',
      after: 'If you did not ask for it, ignore this mail.',
    },
    changed: {
      subject: 'Your email address was changed',
      before:
        'Another email address now signs in to Linkspace in place of this one. This link takes the change back, within 7 days:',
      after: 'If you made the change, ignore this mail. Nobody signs in by this link.',
    },
  },
  de: {
    invitation: {
      subject: 'Einladung zu {account}',
      before: '{inviter} lädt Sie zu {account} auf Linkspace ein. Dieser Link gilt 7 Tage lang:',
      after: 'Wenn Sie nicht wissen, warum Sie diese E-Mail bekommen, ignorieren Sie sie.',
    },
    reset: {
      subject: 'Neues Passwort',
      before:
        'Mit diesem Link können Sie einmal, innerhalb einer Stunde, ein neues Passwort für Linkspace festlegen:',
      after: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt.',
    },
    confirmation: {
      subject: 'E-Mail-Adresse bestätigen',
      before: 'Öffnen Sie diesen Link innerhalb eines Tages, um sich künftig mit dieser Adresse anzumelden:',
      after: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.',
    },
    changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      before:
        'Bei Linkspace gilt jetzt eine andere E-Mail-Adresse statt dieser. Mit diesem Link machen Sie die Änderung innerhalb von 7 Tagen rückgängig:',
      after:
        'Wenn Sie die Adresse selbst geändert haben, ignorieren Sie diese E-Mail. Der Link meldet niemanden an.',
    },
  },
  fr: {
    invitation: {
      subject: 'Invitation à rejoindre {account}',
      before: '{inviter} vous invite à rejoindre {account} sur Linkspace. Ce lien est valable 7 jours :',
      after: 'Si vous ne savez pas pourquoi vous recevez cet e-mail, ignorez-le.',
    },
    reset: {
      subject: 'Nouveau mot de passe',
      before:
        'Ce lien vous permet, une seule fois et pendant une heure, de choisir un nouveau mot de passe pour Linkspace :',
      after: 'Si vous n’avez rien demandé, ignorez cet e-mail : votre mot de passe reste le même.',
    },
    confirmation: {
      subject: 'Confirmez votre adresse e-mail',
      before: 'Ouvrez ce lien dans les 24 heures pour vous connecter désormais avec cette adresse :',
      after: 'Si vous n’avez rien demandé, ignorez cet e-mail.',
    },
    changed: {
      subject: 'Votre adresse e-mail a été modifiée',
      before:
        'Une autre adresse e-mail remplace désormais celle-ci sur Linkspace. Ce lien annule la modification, pendant 7 jours :',
      after: 'Si vous êtes à l’origine de la modification, ignorez cet e-mail. Ce lien ne connecte personne.',
    },
  },
  es: {
    invitation: {
      subject: 'Invitación a {account}',
      before: '{inviter} le invita a unirse a {account} en Linkspace. Este enlace es válido durante 7 días:',
      after: 'Si no sabe por qué recibe este correo, ignórelo.',
    },
    reset: {
      subject: 'Nueva contraseña',
      before:
        'Con este enlace puede elegir una nueva contraseña para Linkspace, una sola vez y durante una hora:',
      after: 'Si no lo ha solicitado, ignore este correo: su contraseña no cambia.',
    },
    confirmation: {
      subject: 'Confirme su dirección de correo',
      before: 'Abra este enlace en las próximas 24 horas para iniciar sesión en adelante con esta dirección:',
      after: 'Si no lo ha solicitado, ignore este correo.',
    },
    changed: {
      subject: 'Su dirección de correo ha cambiado',
      before:
        'Otra dirección de correo sustituye ahora a esta en Linkspace. Este enlace deshace el cambio durante 7 días:',
      after: 'Si el cambio es suyo, ignore este correo. Este enlace no inicia ninguna sesión.',
    },
  },
};

/** A mail with a link, in the language of the request that causes it: that of an invitation is the inviter's. */
export function composeMail(
  kind: Kind,
  acceptLanguage: string,
  { to, url, ...names }: Readonly<Record<'to' | 'url', string> & { account?: string; inviter?: string }>,
): Mail {
  const { subject, before, after } = wordings[languageOfTexts(wordings, acceptLanguage)][kind];
  const filled = (text: string) =>
    text.replaceAll(/\{(account|inviter)\}/g, (_, name: keyof typeof names) => plain(names[name] ?? ''));
  return { to, subject: filled(subject), text: `${filled(before)}\n\n${url}\n\n${after}\n` };
}
