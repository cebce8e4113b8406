import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { readRefusal } from '../../graphql/outcome.ts';
import { isAborted } from '../../http/request/client.ts';
import { ClientGone } from '../../tools/client-gone.ts';
import type { Answer } from '../answer.ts';
import { answerError } from '../error-answer.ts';
import { answerFailure } from './answer.ts';

interface Told {
  /** True if messages may name parts of the schema. */
  readonly suggestions: boolean;
  report(res: ServerResponse, error: unknown): void;
}

/** Answers a request by the error that ended it; not at all if its client has left. An answer that has begun ends. */
export function answerThrown(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  { suggestions, report }: Told,
  write: (answer: Answer) => void,
): void {
  if (isAborted(req) || error instanceof ClientGone) return;
  const answer =
    error instanceof GraphQLError
      ? answerFailure(readRefusal(error), { nameOf: (place) => place.join('.'), suggestions })
      : answerError(error, () => report(res, error));
  if (res.headersSent) res.end();
  else write(answer);
}
