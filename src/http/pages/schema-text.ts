import type { RequestHandler } from 'express';
import { printSchema } from 'graphql';
import { schema } from '../../schema/index.ts';

/** Made once: however many answers wait for slow readers, it takes memory once. */
let text: Buffer | undefined;

/** The schema's text, for code generators; it needs no key. */
export const schemaText: RequestHandler = (_req, res) => {
  text ??= Buffer.from(`${printSchema(schema)}\n`);
  res.type('text/plain').send(text);
};
