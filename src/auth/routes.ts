import type { RequestHandler, Router } from 'express';
import { handling } from '../engine/http/request/info.ts';

/** The handlers of paths below `/auth/`. */
export interface Routes {
  get(path: string, handler: RequestHandler): void;
  post(path: string, handler: RequestHandler): void;
  /** Calls the handler before those of all paths below this one. */
  use(path: string, handler: RequestHandler): void;
}

/** Routes whose requests keep their places until their handlers have ended. */
export function wrapRouter(router: Router): Routes {
  const held =
    (handler: RequestHandler): RequestHandler =>
    (req, res, next) => {
      const work = handler(req, res, next);
      return work instanceof Promise ? handling(res, work) : work;
    };
  return {
    get: (path, handler) => void router.get(path, held(handler)),
    post: (path, handler) => void router.post(path, held(handler)),
    use: (path, handler) => void router.use(path, handler),
  };
}
