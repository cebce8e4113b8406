import type { RequestHandler } from 'express';

/** Browsers request it with every page; there is no icon. */
export const favicon: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'public, max-age=86400').status(204).end();
};

/** Crawlers may follow short links, but not use the APIs. */
export const robots: RequestHandler = (_req, res) => {
  res.type('text/plain').send('User-agent: *\nDisallow: /api/\nDisallow: /graphql\n');
};
