import { changeRetention } from '../db/change/log.ts';
import { answerRetention } from '../db/idempotency-answers.ts';
import { RetentionClock } from '../db/retention-clock.ts';
import { StatisticsRetention } from '../db/statistics/statistics-retention.ts';
import { KEPT_FOR } from '../domain/idempotent-write.ts';
import { Webhooks } from '../domain/webhook/service.ts';
import type { LoadMeter } from '../http/limits/load-meter.ts';
import { createPost } from '../outgoing/post.ts';
import type { Apis } from './apis.ts';
import type { AppDependencies, Background, Shared } from './dependencies.ts';

/** Webhooks, and the deletion of what is old. */
export function createUpkeep(
  dependencies: AppDependencies,
  { feed }: Shared,
  { snapshot }: Apis,
  load: LoadMeter,
): Background[] {
  const { database, historyDays, statisticsMonths, metrics, log, now, random } = dependencies;
  const { webhookDelays: delays, allowPrivateWebhooks: allowPrivate, resolveHost: resolve } = dependencies;
  const db = database;
  const retentionTime = new RetentionClock(db, now, log).read;
  const webhooks = new Webhooks({
    db,
    feed,
    random,
    now,
    retentionTime,
    log,
    delays,
    post: createPost({ allowPrivate, resolve }),
    snapshot,
    waitUntilIdle: () => load.waitUntilIdle(),
    attempted: (outcome) => metrics?.webhookAttempt(outcome),
  });
  metrics?.watchWebhooks(() => webhooks.backlog(), now);
  return [
    webhooks,
    changeRetention(db, historyDays, retentionTime, log),
    new StatisticsRetention(database, statisticsMonths, now, log, { retention: retentionTime }),
    answerRetention(db, KEPT_FOR, retentionTime, log),
  ];
}
