import type { Logger } from 'pino';
import { RepeatedFault } from '../../tools/repeated-fault.ts';
import type { Database } from '../database.ts';
import type { AnyClient, ClientOf } from '../product.ts';

const NO_STANDBY = 'a server of DATABASE_READ_URLS is no standby: it is not used as a replica';

/** A server of DATABASE_READ_URLS, as its last answer shows it, with what the log and the metrics say of it. */
export class ReadServer<Client extends ClientOf<Client> = AnyClient> {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly database: Database<Client>;
  protected readonly log: Logger;
  readonly #fault: RepeatedFault;
  isAway = false;
  /** True if it replicates the primary. Otherwise it is the primary, or was, and may lack later changes. */
  isStandby = true;
  /** For how many seconds it lacks something, if that is known. */
  lag: number | null = null;

  constructor(number: number, database: Database<Client>, log: Logger) {
    this.number = number;
    this.database = database;
    this.log = log.child({ replica: number, server: new URL(database.url).host });
    this.#fault = new RepeatedFault(this.log, 'a replica does not answer: it is not read from');
  }

  failed(error: unknown): void {
    this.isAway = true;
    this.lag = null;
    this.#fault.occurred(error);
  }

  answered(isStandby: boolean): void {
    this.isAway = false;
    this.#fault.ended();
    if (!isStandby) this.lag = null;
    if (!isStandby && this.isStandby) this.log.warn(NO_STANDBY);
    if (isStandby && !this.isStandby) this.log.info(`no longer: ${NO_STANDBY}`);
    this.isStandby = isStandby;
  }
}
