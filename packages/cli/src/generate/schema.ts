import type { Client } from '@linkspace/client';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';
import { CliError, EXIT } from '../errors.ts';

/** Reads the schema of the service. @throws LinkspaceError if the service does not tell it */
export async function readSchema(client: Client, signal: AbortSignal): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true });
  return buildClientSchema(await client.request<IntrospectionQuery>(query, {}, { signal }));
}

/** Parses a schema in GraphQL's language. @throws CliError if it is none */
export function parseSchema(text: string, file: string): GraphQLSchema {
  try {
    return buildSchema(text);
  } catch (error) {
    throw new CliError(
      `${file} is no schema: ${error instanceof Error ? error.message : error}.`,
      EXIT.refused,
    );
  }
}
