import type { Context } from '../schema/server/context.ts';
import { domainErrorOf } from '../schema/server/errors.ts';
import { executeDocument } from '../schema/server/execute.ts';
import type { GraphQLServer } from '../schema/server/server.ts';
import { Refused, serverError } from './answer.ts';
import type { AnyRoute } from './route.ts';

/**
 * Runs a document like a GraphQL request: same schema, same context, same plugins.
 * @throws DomainError for a refusal; Refused with 500 for an internal error, which the server has logged
 */
export async function execute(
  server: GraphQLServer,
  { document }: Pick<AnyRoute, 'document'>,
  variableValues: unknown,
  context: Context,
): Promise<unknown> {
  const variables = variableValues as Record<string, unknown>;
  const result = await executeDocument(server, { document, variableValues: variables }, context);
  const [error] = result.errors ?? [];
  if (error === undefined) return result.data;
  throw domainErrorOf(error) ?? new Refused(serverError);
}
