// The server of bench/webhooks.ts: the program, with retries after seconds instead of hours, and receivers on this machine.
import { serve } from './app.ts';

const { DATABASE_URL = '' } = process.env;
await serve(DATABASE_URL, {
  allowPrivateWebhooks: true,
  webhookDelays: [500, 1_000, 2_000, 2_000, 2_000, 2_000],
});
