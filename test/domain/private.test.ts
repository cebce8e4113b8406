import { JSONParser } from '@streamparser/json';
import { expect, test } from 'vitest';
import { keepMarks } from '../../src/domain/transfer/private.ts';

test('the parser of JSON keeps byte order marks within texts', () => {
  const read = (prepare: (parser: JSONParser) => void) => {
    const parser = new JSONParser({ paths: ['$.*'] });
    prepare(parser);
    const values: unknown[] = [];
    parser.onValue = ({ value }) => void values.push(value);
    parser.write(Buffer.from('["\uFEFFone"]'));
    return values;
  };
  expect(read(keepMarks)).toEqual(['\uFEFFone']);
  // Without it, there would be nothing to do.
  expect(read(() => {})).toEqual(['one']);
});
