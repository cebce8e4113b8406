import { checkAll } from '../../domain/operation/check-all.ts';
import { makeDocumentCheck } from '../document-check.ts';
import { command } from './command.ts';
import { withOlderDatabase } from './database.ts';
import { counted } from './terminal.ts';

const help = `Usage: npm run check

Says which saved operations this version cannot run, and which use what is deprecated. Run it before an upgrade, with the new
version on the database of the old one: it writes nothing, and needs no migrations. The exit code is 1 if an operation is broken.

  --json  prints JSON instead of text`;

export const main = command({ help, options: {} }, async ({ config, values, print }) => {
  const check = makeDocumentCheck(config.graphiql);
  let [operations, broken] = [0, 0];
  await withOlderDatabase(config, 'saved_operations', async (db) => {
    for await (const found of checkAll(db, check)) {
      operations += found.operations;
      broken += found.broken.length;
      if (values.json) print(JSON.stringify(found));
      else {
        for (const { name, reason } of found.broken) print(`${found.account}: ${name} is broken: ${reason}`);
        for (const { name, uses } of found.deprecated)
          print(`${found.account}: ${name} uses what is deprecated: ${uses.join(', ')}`);
      }
    }
  });
  if (!values.json) print(`${counted(operations, 'saved operation')}, ${broken} broken.`);
  return broken > 0 ? 1 : 0;
});
