import { type FragmentDefinitionNode, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Operation } from '../../graphql/document.ts';
import { schema } from '../index.ts';
import { calculateSize, type OperationSize } from './size-calculation.ts';

const DAY_MS = 86_400_000;

function isFragment(node: { kind: string }): node is FragmentDefinitionNode {
  return node.kind === Kind.FRAGMENT_DEFINITION;
}

/** The size of the cache of sizes, in characters of its keys, and the longest key. */
const MAX_CACHED_CHARACTERS = 2_000_000;
const MAX_KEY_LENGTH = 1_000;
/** Texts up to this length may be names that a size depends on; for longer ones it only matters that they exist. */
const MAX_NAME = 16;
/**
 * Placeholders in a cache key, longer than any name: for long texts, and for numbers such as 1e400, which JSON.stringify
 * writes as null.
 */
const LONG_TEXT = 'a text of more than 16 characters';
const INFINITE_NUMBER = 'a number beyond all numbers of JSON, which is ';

const sizes = new LRUCache<string, OperationSize>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_size, key) => key.length + 200,
});

/** What the size of an operation depends on, as a cache key: its variables, and the day, from which periods count by default. */
function keyOf({ node, number }: Operation, variables: Readonly<Record<string, unknown>>): string {
  const declared = (node.variableDefinitions ?? []).map(({ variable: { name } }) => name.value);
  const values = JSON.stringify(
    Object.fromEntries(declared.map((name) => [name, variables[name]])),
    (_key, value) => {
      if (typeof value === 'string') return value.length > MAX_NAME ? LONG_TEXT : value;
      return typeof value === 'number' && !Number.isFinite(value) ? INFINITE_NUMBER + value : value;
    },
  );
  return `${number} ${Math.floor(Date.now() / DAY_MS)} ${values}`;
}

export function sizeOf(operation: Operation, variables: Readonly<Record<string, unknown>>): OperationSize {
  const key = keyOf(operation, variables);
  const before = sizes.get(key);
  if (before) return before;
  const { document, node } = operation;
  const named = document.definitions.filter(isFragment).map((one) => [one.name.value, one] as const);
  const fragments = new Map(named);
  const size = calculateSize({ schema, operation: node, fragments, variables });
  if (key.length <= MAX_KEY_LENGTH) sizes.set(key, size);
  return size;
}
