import type { ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { MAX_WRITTEN_LINKS } from '../db/written-limits.ts';
import { builder, type Types } from './builder.ts';
import { changeCost } from './cost/field-cost.ts';
import { inputType } from './domain-types.ts';
import { DeletedRecord, defineResult, type ErrorType, NotFoundError, ValidationError } from './result.ts';

/** Description of a deletion with many links, as other clients see it. */
export const inSlices =
  ` More than ${MAX_WRITTEN_LINKS} links are changed first, in slices, which others see before the answer comes. ` +
  'After a failure the same request goes on.';

/** The argument with the id of a record. */
export const idArgs = (what: string) =>
  builder.args((t) => ({ id: t.id({ required: true, description: `The id of the ${what}.` }) }));

/** Returns the name of a type in texts. */
const wordsFor = (name: string): string =>
  name === 'UtmTemplate' ? 'UTM template' : name.replace(/(?<=.)(?=[A-Z])/, ' ').toLowerCase();

/** The query of one record: all but its resolver. */
export function defineQuery<Row>(type: ObjectRef<Types, Row>, missing = 'the account has none') {
  const what = wordsFor(type.name);
  return {
    type,
    nullable: true,
    description: `The ${what} with this id; null if ${missing}.`,
    args: idArgs(what),
  } as const;
}

interface MutationOptions<Create, Update, Created> {
  readonly create: Create;
  readonly update: Update;
  /** The description of the input of an update. */
  readonly changes: string;
  /** The result of a creation, if it has more than the record. */
  readonly created?: ObjectRef<Types, Created>;
  /** Further errors. */
  readonly failsToUpdate?: readonly ErrorType[];
  readonly failsToDelete?: readonly ErrorType[];
}

/** The mutations that create, update and delete records of one type, all but their resolvers; and their inputs. */
export function defineMutations<
  Row,
  Create extends z.core.$ZodObject,
  Update extends z.core.$ZodObject,
  Created = Row,
>(type: ObjectRef<Types, Row>, options: MutationOptions<Create, Update, Created>) {
  const { create, update, changes, created = type, failsToUpdate = [], failsToDelete = [] } = options;
  const { name } = type;
  const what = wordsFor(name);
  const CreateInput = inputType(`Create${name}Input`, `A new ${what}.`, create);
  const UpdateInput = inputType(`Update${name}Input`, changes, update, { updates: true });
  const id = idArgs(what);
  const input = builder.args((t) => ({
    created: t.field({ type: CreateInput, required: true, description: `The new ${what}.` }),
    updated: t.field({ type: UpdateInput, required: true, description: 'What to change.' }),
  }));
  return {
    CreateInput,
    UpdateInput,
    creation: {
      type: defineResult<Row | Created>(`Create${name}`, 'The new record', created, [ValidationError]),
      description: `Creates a ${what}.`,
      extensions: changeCost,
      args: { input: input.created },
    },
    update: {
      type: defineResult(`Update${name}`, 'The changed record', type, [
        ValidationError,
        NotFoundError,
        ...failsToUpdate,
      ]),
      description: `Changes a ${what}.`,
      extensions: changeCost,
      args: { ...id, input: input.updated },
    },
    deletion: {
      type: defineResult(`Delete${name}`, 'The deleted record', DeletedRecord, [
        NotFoundError,
        ...failsToDelete,
      ]),
      description: `Deletes a ${what}.`,
      extensions: changeCost,
      args: id,
    },
  };
}

/** The description of the argument `ifUpdatedAt`. */
export const ifUpdatedAt =
  'The `updatedAt` of the record when it was read. If it was changed since, the result is a ConflictError, and nothing is changed.';

export const ifUpdatedAtArg = builder.args((t) => ({
  ifUpdatedAt: t.field({ type: 'DateTime', description: ifUpdatedAt }),
}));
