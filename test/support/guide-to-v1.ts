import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../src/engine/rest/form/field.ts';
import { describeFields } from '../../src/engine/rest/openapi/fields.ts';
import { routes } from '../../src/rest/routes.ts';

const PART = /(<!-- (fields|answer) of (\S+) (\S+) -->\n).*?(\n<!-- end -->)/gs;

/** The purpose of a value and its allowed values, in words. */
function wordsFor({ description, enum: choices = [], default: standard, type }: JsonSchema): string {
  const spellings = type === 'string' && Array.isArray(choices) ? choices.map((one) => `\`${one}\``) : [];
  return [
    ...(description === undefined ? [] : [description]),
    ...(spellings.length > 0 ? [`One of ${spellings.join(', ')}.`] : []),
    ...(standard === undefined ? [] : [`${standard} by default.`]),
  ].join(' ');
}

/** A list item in lines of at most 110 characters; `indent` is before its dash. */
function itemOf(text: string, indent = ''): string {
  const lines = [`${indent}-`];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + word.length > 110) lines.push(`${indent}  ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

/** The fields that an operation takes, as a list. */
function fieldsOf(method: string, path: string): string {
  const route = routes.find((one) => one.path === path && one.methods.some((is) => is === method));
  if (!route) throw new Error(`v1 has no ${method} ${path}`);
  const items = describeFields(route).flatMap(({ name, required, schema }) => {
    const { items = {} } = schema as { items?: { properties?: Record<string, JsonSchema> } }; // As OpenAPI has it.
    const parts = Object.entries(items.properties ?? {});
    const names = parts.length > 0 ? parts.map(([part]) => `${name}[i][${part}]`) : [name];
    const ofParts = parts
      .filter(([, part]) => wordsFor(part) !== '')
      .map(([part, of]) => itemOf(`\`${part}\`: ${wordsFor(of)}`, '  '));
    const spans = names.map((one) => `\`${one}\``).join(', ');
    return [itemOf(`${spans}: ${required ? '**Required.** ' : ''}${wordsFor(schema)}`), ...ofParts];
  });
  return items.join('\n');
}

/** The record in an answer, with a line for each field. */
function recordIn(answer: unknown): string {
  const { data } = answer as { data: object }; // An answer with one record has it there.
  const lines = Object.entries(data).map(([name, value]) => {
    const spaced = JSON.stringify(value, null, 1).replaceAll(/(?<=\[)\n *|\n *(?=\])/g, '');
    const text = spaced.replaceAll(/\n */g, ' ');
    return `  "${name}": ${text}`;
  });
  return `\`\`\`json\n{\n${lines.join(',\n')}\n}\n\`\`\``;
}

/** The guide to v1 with its generated parts: lists of fields, and records in answers. */
export function guideToV1(examples: Readonly<Record<string, Readonly<Record<number, unknown>>>>): string {
  return readFileSync('docs/rest-v1.md', 'utf8').replace(PART, (_, start, what, method, path, end) => {
    const part = what === 'fields' ? fieldsOf(method, path) : recordIn(examples[`${method} ${path}`]?.[200]);
    return `${start}${part}${end}`;
  });
}
