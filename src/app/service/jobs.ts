import type { Logger } from 'pino';
import { valueRetention } from '../../db/change-values.ts';
import type { Database } from '../../db/database.ts';
import { accessRetention } from '../../db/ended-access.ts';
import { ImageRetention } from '../../db/images.ts';
import { runsRetention } from '../../db/operations.ts';
import { DeletedStatisticsRemoval } from '../../db/statistics/delete-statistics.ts';
import { StatisticsRetention } from '../../db/statistics/statistics-retention.ts';
import { StrangersRetention } from '../../db/stranger-rows.ts';
import { DeletedWebhooksRemoval } from '../../db/webhook/deliveries.ts';
import { sendAddressMails } from '../../domain/access/address-change.ts';
import { PlainKeys } from '../../domain/fill-plain-keys.ts';
import { UpgradeCheck } from '../../domain/operation/check-all.ts';
import type { CheckDocument } from '../../domain/operation/checks.ts';
import type { Services } from '../../domain/services.ts';
import { changeRetention } from '../../engine/changes/log.ts';
import { answerRetention } from '../../engine/db/idempotency-answers.ts';
import { KEPT_FOR } from '../../engine/db/kept-answer-limit.ts';
import type { RetentionTime } from '../../engine/db/retention-clock.ts';
import type { Job } from '../../engine/tools/jobs.ts';
import type { Config } from '../config.ts';

// All jobs that a process does by an interval beside its requests; `Jobs` runs them. Each is done by every process for people:
// several may do one at once, since each batch is one statement or locks its rows. Clicks, changes and webhooks, which are not
// done by an interval alone, have timers of their own.

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

interface JobDependencies {
  readonly config: Pick<Config, 'sideEffects' | 'statisticsMonths' | 'historyDays'>;
  readonly db: Database;
  readonly services: Services;
  /** The clock by which old records are deleted. */
  readonly retentionTime: RetentionTime;
  now(): Date;
  readonly log: Logger;
  readonly checkDocument: CheckDocument;
  /** The schema and the version of this process, as a text. */
  schemaText(): string;
}

/** Returns the table of jobs. Those that delete what is old, or send mails, are left out without side effects. */
export function listJobs({
  config,
  db,
  services,
  retentionTime,
  now,
  log,
  checkDocument,
  schemaText,
}: JobDependencies): Job[] {
  const { sideEffects, historyDays } = config;
  const statisticsMonths = sideEffects ? config.statisticsMonths : 0;
  const always: Job[] = [
    {
      name: 'saved operations after an upgrade',
      every: MINUTE,
      failure: 'saved operations could not be checked',
      run: new UpgradeCheck(db, checkDocument, schemaText, log),
    },
    {
      name: 'search keys of what earlier versions wrote',
      every: MINUTE,
      failure: 'old links could not be prepared for searches',
      run: new PlainKeys(db, log),
    },
    {
      name: 'statistics of deleted links',
      every: 10 * SECOND,
      failure: 'statistics of deleted links could not be removed',
      run: new DeletedStatisticsRemoval(db, log),
    },
    {
      name: 'deliveries of deleted webhooks',
      every: 10 * SECOND,
      failure: 'deliveries of deleted webhooks could not be removed',
      run: new DeletedWebhooksRemoval(db, log),
    },
    {
      // Days end in any case: the keys of their visitors are secrets.
      name: 'ended days and old statistics',
      every: MINUTE,
      failure: 'old statistics could not be deleted',
      run: new StatisticsRetention(db, statisticsMonths, now, log, { retention: retentionTime }),
    },
  ];
  const effects: Job[] = [
    {
      name: 'runs of saved operations on old days',
      every: HOUR,
      failure: 'old runs of saved operations could not be deleted',
      run: runsRetention(db, retentionTime, log),
    },
    {
      name: 'old values of changes',
      every: HOUR,
      failure: 'old values of changes could not be deleted',
      run: valueRetention(db, historyDays, retentionTime, log),
    },
    {
      name: 'old changes',
      every: HOUR,
      failure: 'old changes could not be deleted',
      run: changeRetention(db, historyDays, retentionTime, log),
    },
    {
      name: 'images that nothing names',
      every: MINUTE,
      failure: 'images that nothing names could not be deleted',
      run: new ImageRetention(db, now, log),
    },
    {
      name: 'ended tokens and guesses of strangers',
      every: MINUTE,
      failure: 'old tokens and guesses could not be deleted',
      run: new StrangersRetention(db, now, log),
    },
    {
      name: 'ended keys and invitations',
      every: HOUR,
      failure: 'old keys and invitations could not be deleted',
      run: accessRetention(db, retentionTime, log),
    },
    {
      name: 'old answers to writes with a key',
      every: 10 * MINUTE,
      failure: 'old answers could not be deleted',
      run: answerRetention(db, KEPT_FOR, now, log),
    },
    {
      name: 'mails about changed addresses that wait',
      every: MINUTE,
      failure: 'mails about changed addresses wait',
      run: { work: () => sendAddressMails(db, services, now()) },
    },
  ];
  return sideEffects ? [...always, ...effects] : always;
}
