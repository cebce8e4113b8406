import { measureJson } from '../../graphql/parameters.ts';
import { isObject } from '../../tools/is-object.ts';
import { decodeUtf8, notJson, UnreadableBody } from '../form/form.ts';

/** The object in a body. @param expected the message for another value @throws UnreadableBody, GraphQLError */
export function parseObject(bytes: Buffer, expected: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch {
    throw notJson();
  }
  measureJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (isObject(value)) return value;
  throw new UnreadableBody(expected);
}
