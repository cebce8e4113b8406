import type { RequestHandler, Response } from 'express';
import { z } from 'zod';
import { requirePermission } from '../domain/access/actor.ts';
import { fieldError, invalid, notFound } from '../domain/errors.ts';
import { parseInput } from '../domain/input.ts';
import { refusal } from '../domain/rules.ts';
import type { RequestOf } from '../graphql/context.ts';
import { decodeFields } from './form/field.ts';
import { parseForm } from './form/form.ts';
import { sendList } from './router.ts';
import { routes } from './routes.ts';

/** The list of v1 that each kind of file has. */
const paths = { links: '/links', statistics: '/stats/:id' } as const;

const kinds = Object.keys(paths) as (keyof typeof paths)[];
const longest = refusal('MAX_LENGTH', { max: 2_000 });
const scalar = z.union([z.string().max(2_000, longest), z.number(), z.boolean()], refusal('TEXT'));
const asked = z.looseObject({
  kind: z.enum(kinds, `must be ${kinds.join(' or ')}`),
  link_id: scalar.optional(),
});

/** Answers people with a list as v1 has it, with the same columns and parameters, which are in a JSON body. */
export function createDownload({
  requestOf,
  report,
}: {
  readonly requestOf: RequestOf;
  report(res: Response, error: unknown): void;
}): RequestHandler {
  return async (req, res) => {
    const request = await requestOf(req, res);
    requirePermission(request.actor, 'READ');
    const { kind, link_id: linkId = '', ...rest } = parseInput(asked, req.body);
    const parameters = parseInput(z.record(z.string(), scalar), rest);
    const route = routes.find(({ path, csv }) => path === paths[kind] && csv);
    if (route?.csv === undefined) throw new Error(`v1 has no list for ${kind}`);
    const text = new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    );
    const { input, refusals } = decodeFields(route.fields, parseForm(text.toString()), route.schema, false);
    if (refusals.size > 0)
      throw invalid(
        [...refusals].map(([name, [first = '', ...others]]) => fieldError([name], first, ...others)),
        [...refusals.values()][0]?.[0],
      );
    request.named(`download ${kind}`);
    const options = { name: kind, mark: true };
    if (!(await sendList({ req, res, request, report }, route.csv, input, String(linkId), options)))
      throw notFound('link');
  };
}
