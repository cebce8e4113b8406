import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { graphiqlOptions } from '../../src/schema/graphiql.ts';
import { schema } from '../../src/schema/index.ts';

test("GraphiQL's examples fit the schema", () => {
  const [{ query } = { query: null }] = graphiqlOptions.defaultTabs ?? [];
  expect(validate(schema, parse(query ?? ''))).toEqual([]);
});
