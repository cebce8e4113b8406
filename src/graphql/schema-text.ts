import type { RequestHandler } from 'express';
import { printSchema } from 'graphql';
import { schema } from '../schema/index.ts';

/** Built once, so that any number of answers that wait for slow readers share the memory. */
let text: Buffer | undefined;

/** The schema's text, for code generators; it needs no key. */
export const schemaText: RequestHandler = (_req, res) => {
  text ??= Buffer.from(`${printSchema(schema)}\n`);
  res.type('text/plain').send(text);
};
