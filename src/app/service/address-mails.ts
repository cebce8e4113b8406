import type { Logger } from 'pino';
import type { Data } from '../../db/database.ts';
import { sendAddressMails } from '../../domain/access/address-change.ts';
import type { Services } from '../../domain/services.ts';
import type { Background } from './ports.ts';

const EVERY = 60_000;

/** Sends mails about changed addresses that another process queued and did not send, or that a mail server did not take. */
export class AddressMails implements Background {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Data, services: Services, now: () => Date, log: Logger) {
    this.#send = () => {
      sendAddressMails(db, services, now()).catch((error: unknown) => {
        log.warn({ err: error }, 'mails about changed addresses wait');
      });
    };
  }

  start(): void {
    this.#send();
    this.#timer = setInterval(this.#send, EVERY).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
