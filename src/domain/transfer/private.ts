// A member of @streamparser/json that its documentation does not promise. The comment says what the code relies on.
// `test/domain/private.test.ts` fails if a release changes it.
import type { JSONParser } from '@streamparser/json';

/**
 * Makes the parser keep byte order marks within texts, for which it has no option. It decodes texts with the `decoder` of its
 * tokenizer's `bufferedString`.
 */
export function keepMarks(parser: JSONParser): void {
  const texts: object = Reflect.get(Reflect.get(parser, 'tokenizer'), 'bufferedString');
  Reflect.set(texts, 'decoder', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
}
