import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { SignInWay } from '../../auth/tools.ts';
import type { FailingWebhooks } from '../../db/webhook/queues.ts';
import type { DeliveryStatus, DisabledReason } from '../../domain/webhook/events.ts';
import {
  metricsServer,
  type Observation,
  ProcessMetrics,
  secondsSince,
} from '../../engine/http/process-metrics.ts';
import { TLS_ASK, type TlsStatusOf, tlsListener } from './tls-ask.ts';

/** The process's metrics for Prometheus, with a registry of its own. */
export class Metrics extends ProcessMetrics {
  readonly #v1 = this.counter(
    'linkspace_v1_requests_total',
    'Requests over v1, by the id of the key and operation: who still needs it.',
    ['key', 'operation'],
  );
  readonly #clicks = this.counter('linkspace_clicks_total', 'Visits that were counted.');
  readonly #dropped = this.counter(
    'linkspace_clicks_dropped_total',
    'Visits that were not counted, since those of too many links wait to be written.',
  );
  readonly #refused = this.counter(
    'linkspace_visits_refused_total',
    'What was not counted, since the database refuses it. The log has the links.',
    ['what'],
  );
  readonly #lookups = this.counter(
    'linkspace_link_lookups_total',
    'Links that visitors asked for: found in memory (hit) or read (miss).',
    ['cache'],
  );
  readonly #webhooks = this.counter(
    'linkspace_webhook_attempts_total',
    'Attempts to deliver to webhooks: delivered, retried (to be tried again), or failed (for good).',
    ['outcome'],
  );
  readonly #disabledWebhooks = this.counter(
    'linkspace_webhooks_disabled_total',
    'Webhooks that the service disabled, since they failed or too many messages waited.',
    ['reason'],
  );
  readonly #signInFailures = this.counter(
    'linkspace_sign_in_failures_total',
    'Refused attempts to sign in to the console, by password, passkey or OpenID.',
    ['way'],
  );
  readonly #mailFailures = this.counter(
    'linkspace_mails_failed_total',
    'Mails that the mail server did not take.',
  );

  constructor() {
    super('linkspace');
    // The first one is an increase only if there is a zero before it.
    for (const way of ['password', 'passkey', 'openid'] as const) this.#signInFailures.inc({ way }, 0);
    for (const reason of ['failing', 'too_many_waiting']) this.#disabledWebhooks.inc({ reason }, 0);
    for (const outcome of ['delivered', 'retried', 'failed']) this.#webhooks.inc({ outcome }, 0);
    for (const what of ['clicks', 'bots', 'values', 'visitors', 'statistics']) this.#refused.inc({ what }, 0);
  }

  override request(observation: Observation): string {
    const operation = super.request(observation);
    const { surface, keyId } = observation;
    if (surface === 'v1' && keyId !== undefined) this.#v1.inc({ key: this.keyLabel(keyId), operation });
    return operation;
  }

  click(): void {
    this.#clicks.inc();
  }

  dropped(): void {
    this.#dropped.inc();
  }

  refused(numbers: Readonly<Record<string, number>>): void {
    for (const [what, number] of Object.entries(numbers)) this.#refused.inc({ what }, number);
  }

  lookup(cache: 'hit' | 'miss'): void {
    this.#lookups.inc({ cache });
  }

  webhookAttempt(outcome: DeliveryStatus): void {
    this.#webhooks.inc({ outcome: outcome === 'PENDING' ? 'retried' : outcome.toLowerCase() });
  }

  webhookDisabled(reason: DisabledReason): void {
    this.#disabledWebhooks.inc({ reason: reason.toLowerCase() });
  }

  signInFailed(way: SignInWay): void {
    this.#signInFailures.inc({ way });
  }

  mailFailed(): void {
    this.#mailFailures.inc();
  }

  /** @param waiting how many mails are stored until they are sent */
  watchMails(waiting: () => Promise<number>): void {
    const helps = { linkspace_mails_waiting: 'Mails about changed addresses that are not sent yet.' };
    this.watchTogether(helps, async () => ({ linkspace_mails_waiting: await waiting() }));
  }

  /** @param madeAt when the last backup was made; null if there are no data */
  watchBackups(madeAt: () => Promise<Date | null>, now: () => Date): void {
    const helps = {
      linkspace_backup_age_seconds:
        'The time since the last backup of SQLite by npm run backup; without one, since the first account was made.',
    };
    this.watchTogether(helps, async () => {
      return { linkspace_backup_age_seconds: secondsSince(await madeAt(), now()) };
    });
  }

  watchSockets(open: () => number): void {
    this.watch('linkspace_sockets', 'Open WebSockets.', 'sum', open);
  }

  watchSideEffects(areOn: boolean): void {
    const help = '0 while SIDE_EFFECTS is off: nothing goes out, and nothing old is deleted.';
    this.watch('linkspace_side_effects', help, 'max', () => Number(areOn));
  }

  watchClicks(waiting: () => number, behind: () => number): void {
    this.watch(
      'linkspace_clicks_behind_seconds',
      'For how long the oldest visit has waited to be written; more than a few seconds if counting stands still.',
      'max',
      behind,
    );
    this.watch(
      'linkspace_clicks_waiting',
      'Counted visits that are not in the database yet; they are lost if the process ends before they can be written.',
      'sum',
      waiting,
    );
  }

  watchWebhooks(backlog: () => Promise<{ pending: number; dueAt: Date | null }>, now: () => Date): void {
    const helps = {
      linkspace_webhook_lag_seconds:
        'For how long the oldest delivery to a webhook is due, by all processes.',
      linkspace_webhook_pending:
        'Deliveries to webhooks that wait, for their turn or for another try, by all processes.',
    };
    this.watchTogether(helps, async () => {
      const { pending, dueAt } = await backlog();
      return {
        linkspace_webhook_lag_seconds: secondsSince(dueAt, now()),
        linkspace_webhook_pending: pending,
      };
    });
  }

  watchFailingWebhooks(read: () => Promise<FailingWebhooks>, now: () => Date): void {
    const helps = {
      linkspace_webhooks_failing: 'Webhooks whose last attempt failed, by all processes.',
      linkspace_webhook_failing_seconds:
        'For how long the webhook that has failed for longest has had no success, by all processes.',
    };
    this.watchTogether(helps, async () => {
      const { failing, since } = await read();
      return {
        linkspace_webhooks_failing: failing,
        linkspace_webhook_failing_seconds: secondsSince(since, now()),
      };
    });
  }
}

/** The metrics' port, where a proxy may ask privately, too. */
export function metricsListener(
  text: () => Promise<string>,
  tlsStatusOf: TlsStatusOf,
  log: Logger,
): RequestListener {
  return metricsServer(text, new Map([[TLS_ASK, tlsListener(tlsStatusOf)]]), log);
}
