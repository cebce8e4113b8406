import type { RequestHandler } from 'express';
import { printSchema } from 'graphql';
import { schema } from '../schema/index.ts';

let text: string | undefined;

/** The schema's text, for code generators; it needs no key. */
export const schemaText: RequestHandler = (_req, res) => {
  text ??= `${printSchema(schema)}\n`;
  res.type('text/plain').send(text);
};
