import type { Logger } from 'pino';
import type { Mail } from '../domain/access/mails.ts';
import { oneLine } from '../shared/one-line.ts';

/** How long a mail server may take to answer, in milliseconds. */
const TIMEOUT = 10_000;
/** How many connections to the mail server are open at once; other mails wait. */
const MAX_CONNECTIONS = 2;

/** Sends mails one after another, in the background; a failure is logged. */
export function createMailer(smtpUrl: string, from: string, log: Logger): (mail: Mail) => void {
  // Loaded with the first mail, since it takes time that most starts need not spend.
  const open = async () =>
    (await import('nodemailer')).createTransport(
      {
        url: smtpUrl,
        pool: true,
        maxConnections: MAX_CONNECTIONS,
        connectionTimeout: TIMEOUT,
        greetingTimeout: TIMEOUT,
        socketTimeout: TIMEOUT,
      },
      { from },
    );
  let transport: ReturnType<typeof open> | undefined;
  return (mail) => {
    transport ??= open();
    transport
      .then((opened) => opened.sendMail(mail))
      .catch((error: unknown) => {
        log.error({ reason: oneLine(error) }, 'a mail was not sent');
      });
  };
}
