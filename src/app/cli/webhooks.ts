import { randomInt } from 'node:crypto';
import { dropPending } from '../../db/webhook/drop-pending.ts';
import { dispatchChanges } from '../../domain/webhook/dispatch.ts';
import { command } from './command.ts';
import { withDatabase } from './database.ts';
import { counted } from './terminal.ts';

const help = `Usage: npm run webhooks -- drop-pending

  drop-pending  removes the messages that wait for webhooks of all accounts, also those of changes that no process has
                looked at yet: they are never sent. Run it on a restored copy, before you turn SIDE_EFFECTS on

  --json  prints JSON instead of text`;

export const main = command(
  { help, options: {}, verbs: { 'drop-pending': {} } },
  async ({ config, show }) => {
    const dropped = await withDatabase(config, async ({ database }) => {
      while ((await dispatchChanges(database, randomInt, () => new Date())) > 0);
      return dropPending(database);
    });
    show({ dropped }, `${counted(dropped, 'waiting message')} removed.`);
  },
);
