import type { RequestHandler } from 'express';
import { favicon as icon } from '../../generated/look.ts';

/** Browsers request it with every page. */
export const favicon: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(icon);
};

/** Crawlers may follow short links, but not use the APIs. */
export const robots: RequestHandler = (_req, res) => {
  res.type('text/plain').send('User-agent: *\nDisallow: /api/\nDisallow: /graphql\n');
};
