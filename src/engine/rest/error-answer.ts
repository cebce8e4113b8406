import { visibleError } from '../rules/errors.ts';
import { type Answer, answerTo, notFound, Refused, serverError, unreadable } from './answer.ts';
import { UnreadableBody } from './form/form.ts';

/** The answer to a request that ended with an error outside its operation. @param report logs a fault */
export function answerError(error: unknown, report: () => void): Answer {
  const visible = visibleError(error);
  if (visible?.code === 'UNAVAILABLE') report();
  if (visible) {
    // An error that is not about a field of the route is about a header.
    const refusals = visible.fields.map(({ path, messages }): [string, string[]] => {
      const name = path.join('.');
      return [name, messages.map((message) => `The header ${name} ${message}.`)];
    });
    return answerTo[visible.code](visible, new Map(refusals));
  }
  if (error instanceof Refused) return error.answer;
  if (error instanceof UnreadableBody) return unreadable(error.message);
  // Express could not decode the path: no record has such an id.
  if (error instanceof URIError) return notFound;
  report();
  return serverError;
}
