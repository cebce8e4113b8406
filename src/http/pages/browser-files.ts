import type { RequestHandler } from 'express';

/** Browsers ask for it beside every page; there is none. */
export const favicon: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'public, max-age=86400').status(204).end();
};

/** Crawlers may follow short links; the interfaces are not for them. */
export const robots: RequestHandler = (_req, res) => {
  res.type('text/plain').send('User-agent: *\nDisallow: /api/\nDisallow: /graphql\n');
};
