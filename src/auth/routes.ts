import type { RequestHandler, Router } from 'express';
import { handling } from '../engine/http/request/info.ts';

type Method = 'get' | 'post';

/** The handlers of paths below `/auth/`. */
export interface Routes {
  /** The methods of each path that has a handler. */
  readonly methods: ReadonlyMap<string, readonly Method[]>;
  get(path: string, handler: RequestHandler): void;
  post(path: string, handler: RequestHandler): void;
  /** Calls the handler before those of all paths below this one. */
  use(path: string, handler: RequestHandler): void;
}

/** Routes whose requests keep their places until their handlers have ended. */
export function wrapRouter(router: Router): Routes {
  const methods = new Map<string, Method[]>();
  const held =
    (handler: RequestHandler): RequestHandler =>
    (req, res, next) => {
      const work = handler(req, res, next);
      return work instanceof Promise ? handling(res, work) : work;
    };
  const add = (method: Method, path: string, handler: RequestHandler) => {
    methods.set(path, [...(methods.get(path) ?? []), method]);
    router[method](path, held(handler));
  };
  return {
    methods,
    get: (path, handler) => add('get', path, handler),
    post: (path, handler) => add('post', path, handler),
    use: (path, handler) => void router.use(path, handler),
  };
}
