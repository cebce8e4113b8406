import { type ErrorRequestHandler, Router } from 'express';
import { visibleError } from '../domain/errors.ts';
import { answerTo, notFound, Refused, serverError, unreadable } from './answer.ts';
import { UnreadableBody } from './form/form.ts';
import { handlerOf, type RestDependencies } from './route-handler.ts';
import { routes } from './routes.ts';
import { send } from './send.ts';

function errorHandler({ report }: RestDependencies): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const visible = visibleError(error);
    if (visible?.code === 'UNAVAILABLE') report(res, error);
    if (visible) {
      // An error that is not about a field of the route is about a header.
      const refusals = visible.fields.map(({ path, messages }): [string, string[]] => {
        const name = path.join('.');
        return [name, messages.map((message) => `The header ${name} ${message}.`)];
      });
      return send(res, answerTo[visible.code](visible, new Map(refusals)));
    }
    if (error instanceof Refused) return send(res, error.answer);
    if (error instanceof UnreadableBody) return send(res, unreadable(error.message));
    // Express could not decode the path: no record has such an id.
    if (error instanceof URIError) return send(res, notFound);
    report(res, error);
    send(res, serverError);
  };
}

/** The v1 API, to be mounted at `/api/v1`. The key is checked first. */
export function createRestRouter(dependencies: RestDependencies): Router {
  const router = Router({ caseSensitive: true });
  const { requestOf } = dependencies;
  router.use(async (req, res, next) => {
    res.locals.request = await requestOf(req, res);
    next();
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    router.all(path, handlerOf(ofPath, dependencies));
  }
  router.use((_req, res) => send(res, notFound));
  router.use(errorHandler(dependencies));
  return router;
}
