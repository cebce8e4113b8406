import type { RequestHandler, Response } from 'express';
import { coerceInputValue, isInputType } from 'graphql';
import { z } from 'zod';
import { requirePermission } from '../domain/access/actor.ts';
import { refusal } from '../domain/rules.ts';
import { decodeFields } from '../engine/rest/form/field.ts';
import { parseForm } from '../engine/rest/form/form.ts';
import { sendList } from '../engine/rest/router.ts';
import { fieldError, invalid, notFound } from '../engine/rules/errors.ts';
import { parseInput } from '../engine/rules/input.ts';
import { runOwn } from '../schema/api.ts';
import type { RequestOf } from '../schema/context.ts';
import { schema as graphql } from '../schema/index.ts';
import { linkFile } from './link-answer.ts';
import { withArchivedRows } from './links.ts';
import { routes } from './routes.ts';
import { fileFields, fileSchema, statisticsFile } from './statistics-file.ts';

const kinds = ['links', 'statistics'] as const;
const longest = refusal('MAX_LENGTH', { max: 2_000 });
const scalar = z.union([z.string().max(2_000, longest), z.number(), z.boolean()], refusal('TEXT'));

/** An input of GraphQL, as it was sent. */
function makeInput(name: string) {
  const type = graphql.getType(name);
  const isValid = (value: unknown) => {
    let found = isInputType(type);
    if (isInputType(type)) coerceInputValue(value, type, () => (found = false));
    return found;
  };
  return z.record(z.string(), z.unknown()).refine(isValid, refusal('INVALID'));
}

const asked = z.looseObject({
  kind: z.enum(kinds, `must be ${kinds.join(' or ')}`),
  filter: makeInput('LinkFilter').optional(),
  orderBy: makeInput('LinkOrder').optional(),
});

/** The list of links as v1 has it. */
function linksRoute() {
  const route = routes.find(({ path, csv }) => path === '/links' && csv);
  if (!route?.csv) throw new Error('v1 has no list of links');
  return { fields: route.fields, schema: route.schema, csv: route.csv };
}

/**
 * Answers people with a list or statistics as a file. The parameters are those of v1, in a JSON body; or the filter and order of
 * links as GraphQL has them, for a file with the names of spaces and tags.
 */
export function createDownload({
  readRequest,
  report,
}: {
  readonly readRequest: RequestOf;
  report(res: Response, error: unknown): void;
}): RequestHandler {
  return async (req, res) => {
    const request = await readRequest(req, res);
    requirePermission(request.actor, 'READ');
    const { kind, filter, orderBy, ...rest } = parseInput(asked, req.body);
    const parameters = parseInput(z.record(z.string(), scalar), rest);
    const links = kind === 'links' ? linksRoute() : null;
    const text = new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    );
    const { fields, schema } = links ?? { fields: fileFields, schema: fileSchema };
    const { input, refusals } = decodeFields(fields, parseForm(text.toString()), schema, false);
    if (refusals.size > 0)
      throw invalid(
        [...refusals].map(([name, messages]) => ({ ...fieldError([name], messages[0] ?? ''), messages })),
        [...refusals.values()][0]?.[0],
      );
    request.named(`download ${kind}`);
    const call = { req, res, request, run: runOwn, report };
    const options = { name: kind, mark: true };
    const day = request.now().toISOString().slice(0, 10);
    const send = () => {
      if (links === null) return sendList(call, statisticsFile(input), input, '', options);
      return filter === undefined && orderBy === undefined
        ? sendList(call, links.csv, input, '', options)
        : sendList(call, withArchivedRows(linkFile), { filter, orderBy }, '', {
            ...options,
            name: `links-${day}`,
          });
    };
    if (!(await send())) throw notFound('record');
  };
}
