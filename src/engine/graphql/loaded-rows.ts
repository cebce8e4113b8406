import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { modelIn, plannedBy } from './private.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      loaded: LoadedPlugin<Types>;
    }
    export interface BuildSchemaOptions<Types extends SchemaTypes> {
      /** True for the schema of covered documents, whose rows have all that their fields select. */
      isCovered?: boolean;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** The part of a `select` that a row must have: names of columns, and of relations with theirs. */
type Needed = readonly (readonly [name: string, below: Needed])[];

function neededIn(select: object): Needed {
  return Object.entries(select).map(([name, value]) => [name, neededIn(value.select ?? {})]);
}

function has(row: unknown, needed: Needed): boolean {
  if (row === null) return true; // A relation to no record has nothing more.
  return needed.every(([name, below]) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) return false;
    return (
      below.length === 0 || (Array.isArray(value) ? value.every((one) => has(one, below)) : has(value, below))
    );
  });
}

/**
 * Resolves a field from its row, where the row has what the field selects. Pothos' Prisma plugin does so, too, but looks
 * up for each field of each row whether its query was planned, which takes most of the time of a list. Where something is
 * missing, the Prisma plugin loads it. In the schema for covered rows, nothing is missing: there, fields that are properties
 * of their row have no resolver of their own, so that compiled code reads them itself.
 */
class LoadedPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  /** Returns the parts of its row that the field selects; null if only the Prisma plugin can tell. */
  #neededBy({ extensions, parentType, type }: PothosOutputFieldConfig<Types>): Needed | null {
    const { select, relation } = plannedBy(extensions);
    if (!select) return null;
    if (relation) return relation.isList ? null : [[relation.name, []]];
    if (typeof select === 'object') return neededIn(select);
    if (type.kind === 'List') return null;
    // A variant is the row itself.
    const findModel = (ref: typeof parentType | typeof type.ref) =>
      modelIn(this.buildCache.getTypeConfig(ref).extensions);
    return findModel(type.ref) === findModel(parentType) ? [] : null;
  }

  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const needed = this.#neededBy(field);
    const resolve = field.resolve as Resolver<Types> | undefined;
    if (needed === null || resolve === undefined) return resolver;
    if (this.options.isCovered)
      return plannedBy(field.extensions).relation?.name === field.name ? defaultFieldResolver : resolve;
    return (row, args, context, info) => (has(row, needed) ? resolve : resolver)(row, args, context, info);
  }
}

SchemaBuilder.registerPlugin('loaded', LoadedPlugin);
