import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
} from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { requireScope } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import { pauseIfBlocked } from '../../shared/time-slices.ts';
import { MAX_ERRORS } from '../error-limit.ts';
import { schema } from '../index.ts';
import { useAccept, useStreams } from './accept-header.ts';
import { useCompiledQueries } from './compiled-queries.ts';
import { type Context, readingOf, writingOf } from './context.ts';
import { useOperationRecord } from './document-facts.ts';
import { documentCaches, useDocumentLimits } from './document-limits.ts';
import { extensionsOf, presentedAny, presentedError } from './errors.ts';
import { useExecuted } from './execute.ts';
import { useKeyedWrites } from './idempotency.ts';
import { useOperationLimits } from './operation-limits.ts';
import { refusing } from './refusing.ts';
import { useBodies } from './request-body.ts';
import { useSubscriptionRoots } from './subscription-root.ts';
import { onlyTrusted, type TrustedDocuments } from './trusted-documents.ts';
import { useVariables } from './variables.ts';

/**
 * Chooses the database for queries, and makes sure that the account's next queries include its mutations. An execution whose
 * client has left does not begin.
 */
const useReaders: Plugin<Context> = {
  onExecute({ args, extendContext, executeFn, setExecuteFn }) {
    const context: Context = args.contextValue;
    context.signal.throwIfAborted();
    setExecuteFn((given: ExecutionArgs) => context.running(() => executeFn(given)));
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.MUTATION) return extendContext(readingOf(context));
    extendContext(writingOf(context));
    return { onExecuteDone: () => context.wrote() };
  },
};

/** Sets the operation's name, and checks the key's scope, over HTTP and in process. */
const useScopes = refusing(({ document, operationName, contextValue: context }) => {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  context.named(operation.name?.value ?? operation.operation);
  try {
    requireScope(context.actor, operation.operation === OperationTypeNode.MUTATION ? 'write' : 'read');
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return new GraphQLError(error.message, { extensions: extensionsOf(error) });
  }
});

/** The result with masked errors. */
function presented(result: ExecutionResult, context: Context): ExecutionResult {
  if (!result.errors) return result;
  // Further ones are all the same.
  const errors = result.errors.slice(0, MAX_ERRORS + 1).map((error) => presentedError(error, context));
  return { ...result, errors };
}

/** Masks the errors of executions and subscriptions. */
const useMaskedErrors: Plugin<Context> = {
  onExecute: ({ args: { contextValue } }) => ({
    onExecuteDone({ result, setResult }) {
      if (!isAsyncIterable(result)) setResult(presented(result, contextValue));
    },
  }),
  onSubscribe: ({ args: { contextValue } }) => ({
    onSubscribeResult({ result, setResult }) {
      if (!isAsyncIterable(result)) {
        setResult(presented(result, contextValue));
        return;
      }
      return {
        onNext: ({ result: one, setResult: setOne }) =>
          setOne(presented(one as ExecutionResult, contextValue)),
      };
    },
    onSubscribeError: ({ error, setError }) => setError(presentedAny(error, contextValue)),
  }),
};

/** Hides the schema from clients that do not know it. */
const noIntrospection: Plugin = {
  onValidate({ addValidationRule }) {
    addValidationRule(NoSchemaIntrospectionCustomRule);
  },
};

/** Lets other work run before each of many documents that arrive together. */
const usePauses: Plugin = { onParams: pauseIfBlocked };

/** The maximum length of a message, in characters: some repeat the input. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * Shortens the messages of all errors. Without introspection, it removes suggestions. GraphQL's own errors about variables
 * and operations have no code: this adds one, so that every error has a code.
 */
function useMessages(suggestions: boolean): Plugin {
  const shorten = (message: string): string => {
    const plain = suggestions ? message : message.replace(/ Did you mean .*\?$/s, '');
    return plain.length > MAX_MESSAGE_LENGTH ? `${plain.slice(0, MAX_MESSAGE_LENGTH)}…` : plain;
  };
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result) || Array.isArray(result) || !result.errors) return;
      const errors = result.errors.map((error) => {
        const message = shorten(error.message);
        const { code } = error.extensions;
        // The executor's own code is that of a wrong variable of a subscription; those of other operations have none.
        const isCoded = code !== undefined && code !== 'BAD_USER_INPUT';
        if (message === error.message && isCoded) return error;
        const { nodes, source, positions, path } = error;
        const extensions = { ...error.extensions, code: isCoded ? code : 'BAD_REQUEST' };
        return new GraphQLError(message, { nodes, source, positions, path, extensions });
      });
      setResult({ ...result, errors });
    },
  };
}

/** The body for a request that is refused before its GraphQL is parsed. */
export function refusal(error: DomainError): { errors: GraphQLFormattedError[] } {
  return { errors: [{ message: error.message, extensions: { code: error.code } }] };
}

export interface GraphQLServerOptions {
  /** Whether GraphiQL and introspection are available. */
  readonly graphiql: boolean;
  /** If given, the only documents that are executed over HTTP. */
  readonly trusted?: TrustedDocuments | undefined;
}

/** The GraphQL server of the schema. */
export function createGraphQLServer({ graphiql, trusted }: GraphQLServerOptions) {
  return createYoga<Context>({
    schema,
    plugins: [
      usePauses,
      useExecuted,
      useAccept,
      useStreams,
      useBodies,
      useVariables,
      useDocumentLimits,
      useSubscriptionRoots,
      useOperationLimits,
      useScopes,
      useMaskedErrors,
      useKeyedWrites,
      useOperationRecord,
      useCompiledQueries,
      useReaders,
      !graphiql && noIntrospection,
      useMessages(graphiql),
      trusted !== undefined && onlyTrusted(trusted),
    ],
    extraParamNames: trusted && ['documentId'],
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    logging: false,
    maxRequestBodySize: 1024 * 1024,
    parserAndValidationCache: documentCaches,
  });
}

export type GraphQLServer = ReturnType<typeof createGraphQLServer>;
