import type { NodemailerError } from 'nodemailer';
import type { Logger } from 'pino';
import { loadedLater } from '../tools/loaded-later.ts';

/** A mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends a mail, later.
 * @param onRefused called if a mail server refuses it for good: others may have read its link then
 * @returns a promise of false if no mail server took it
 */
export type SendMail = (mail: Mail, onRefused?: () => Promise<void>) => unknown;

/** Milliseconds in which a mail server must answer. */
const TIMEOUT = 10_000;
/** Maximum number of open connections to the mail server; other mails wait. */
const MAX_CONNECTIONS = 2;

/** Why a mail was not sent, in codes: the words of the mail server may have parts of the mail. */
function describeFailure({
  name,
  code,
  originalCode,
  responseCode,
  response,
  command,
}: NodemailerError): string {
  const [, status] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '') ?? [];
  return [code ?? name, originalCode, responseCode, status, command].filter(Boolean).join(' ');
}

/** Returns true if the server refuses this mail for good: one that lets the service in not at all has read nothing of it. */
function isRefused({ code, responseCode = 0 }: NodemailerError): boolean {
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && Math.floor(responseCode / 100) === 5;
}

/** Calls back for each mail that is not sent. */
export function countingFailures(sendMail: SendMail, failed: () => void): SendMail {
  return async (...mail) => {
    const isSent = await sendMail(...mail);
    if (isSent === false) failed();
    return isSent;
  };
}

/** Sends no mail, for a service without side effects. What is stored until its mail is sent goes on waiting. */
export function holdMails(log: Logger): SendMail {
  return () => {
    log.warn('a mail was not sent: SIDE_EFFECTS is off');
    return Promise.resolve(false);
  };
}

/** Sends mails one after another, in the background; a failure is logged. */
export function createMailer(smtpUrl: string, from: string, log: Logger): SendMail {
  const library = loadedLater(() => import('nodemailer'));
  const open = async () =>
    (await library()).createTransport(
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
  return (mail, onRefused) => {
    transport ??= open();
    return transport
      .then((opened) => opened.sendMail(mail))
      .then(() => true)
      .catch(async (error: NodemailerError) => {
        log.error({ reason: describeFailure(error) }, 'a mail was not sent');
        if (isRefused(error)) await onRefused?.();
        return false;
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'what a refused mail offers could not be ended');
        return false;
      });
  };
}
