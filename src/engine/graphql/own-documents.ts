import {
  type ASTNode,
  type DefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { limits } from './limits.ts';

/** Maximum length of a text that is compared with the operations, as a multiple of the longest one. */
const MAX_LENGTHS = 4;

/** The definition in one form, without `__typename`, which clients add. */
function printPlain(definition: DefinitionNode): string {
  const plain = visit(definition, {
    Field: ({ name, alias }) => (name.value === '__typename' && alias === undefined ? null : undefined),
  });
  return print(plain);
}

function combine(definitions: readonly DefinitionNode[]): string {
  return definitions.map(printPlain).sort().join('\n');
}

/** Returns the fragments that are used below a node, also by others, each once. */
function findFragments(
  node: ASTNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  found = new Set<FragmentDefinitionNode>(),
): ReadonlySet<FragmentDefinitionNode> {
  visit(node, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value);
      if (fragment === undefined || found.has(fragment)) return;
      found.add(fragment);
      findFragments(fragment, fragments, found);
    },
  });
  return found;
}

/** The operations of an application of the product's own. Texts of one are known however its client writes them. */
export class OwnDocuments {
  readonly #operations: ReadonlySet<string>;
  readonly #maxLength: number;

  /** @param text all operations of the application, and their fragments */
  constructor(text: string) {
    const { definitions } = parse(text, { noLocation: true });
    const fragments = new Map(
      definitions
        .filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((one) => [one.name.value, one] as const),
    );
    const operations = definitions
      .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
      .map((one) => combine([one, ...findFragments(one, fragments)]));
    this.#operations = new Set(operations);
    this.#maxLength = MAX_LENGTHS * Math.max(0, ...operations.map(({ length }) => length));
  }

  /** True if the text is one of the operations with its fragments, apart from its layout and `__typename`. */
  has(text: string): boolean {
    if (text.length > this.#maxLength) return false;
    try {
      const { definitions } = parse(text, { noLocation: true, maxTokens: limits.tokens });
      return this.#operations.has(combine(definitions));
    } catch {
      return false;
    }
  }
}
