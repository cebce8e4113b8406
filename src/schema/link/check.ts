import { parseBatch } from '../../domain/input.ts';
import { checkNewLinks } from '../../domain/link/bulk.ts';
import { builder } from '../builder.ts';
import { checkCost } from '../cost/field-cost.ts';
import { Failure, ValidationError } from '../error.ts';
import { CreateLinkInput } from './mutation.ts';

builder.queryField('checkLinks', (t) =>
  t.field({
    type: [ValidationError],
    nullable: { list: false, items: true },
    description:
      'Checks up to 100 new links without creating them, each as if the ones before it were created. Returns ' +
      'for each, in order, the error that `createLinks` would, or null.',
    extensions: checkCost,
    args: { inputs: t.arg({ type: [CreateLinkInput], required: true, description: 'The new links.' }) },
    resolve: async (_root, { inputs }, { db, actor, services, now }) =>
      (await checkNewLinks(db, actor, services, parseBatch('inputs', inputs), now())).map((error) =>
        error ? new Failure(error) : null,
      ),
  }),
);
