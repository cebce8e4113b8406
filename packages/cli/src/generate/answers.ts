import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  type SelectionSetNode,
} from 'graphql';
import type { NamedTypes } from './inputs.ts';
import { literal } from './names.ts';

/** The selections of a field of an answer. */
interface Selected {
  readonly nodes: FieldNode[];
  /** True if a directive may leave out each of them. */
  isOptional: boolean;
}

/** The fields of an object in an answer, without `__typename`. */
interface Shape {
  readonly fields: ReadonlyMap<string, Selected>;
  /** The key of `__typename`; null if it is not selected. */
  readonly typename: string | null;
  readonly type: GraphQLObjectType;
}

const isConditional = (directives: readonly DirectiveNode[] = []): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');

/** Writes the types of answers. */
export class AnswerTypes {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #named: NamedTypes;

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    named: NamedTypes,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#named = named;
  }

  /** Returns the type of the records of a type that are selected so. */
  composite(type: GraphQLCompositeType, sets: readonly SelectionSetNode[], indent: string): string {
    const possible = isAbstractType(type) ? [...this.#schema.getPossibleTypes(type)] : [type];
    const shapes = possible.sort((a, b) => (a.name < b.name ? -1 : 1)).map((one) => this.#shape(one, sets));
    // Records that look the same are one type.
    const alike = new Map<string, Shape[]>();
    for (const shape of shapes) {
      const text = this.#fieldsText(shape, indent);
      alike.set(text, [...(alike.get(text) ?? []), shape]);
    }
    const all = new Set(shapes.flatMap(({ fields }) => [...fields.keys()]));
    const written = [...alike].map(([text, [first, ...others]]) => {
      if (first === undefined) return '';
      const names = [first, ...others].map((one) => literal(one.type.name)).join(' | ');
      // Without a name, a field that another type has tells the types apart.
      const absent =
        first.typename === null
          ? [...all]
              .filter((key) => !first.fields.has(key))
              .map((key) => `${indent}  readonly ${key}?: undefined;\n`)
          : [`${indent}  readonly ${first.typename}: ${names};\n`];
      return `{\n${absent.join('')}${text}${indent}}`;
    });
    return written.join(` | `);
  }

  #shape(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Shape {
    const fields = new Map<string, Selected>();
    for (const set of sets) this.#collect(type, set, false, fields);
    const typename = [...fields].find(([, { nodes }]) => nodes[0]?.name.value === '__typename')?.[0] ?? null;
    if (typename !== null) fields.delete(typename);
    return { fields, typename, type };
  }

  #collect(
    type: GraphQLObjectType,
    set: SelectionSetNode,
    isOptional: boolean,
    into: Map<string, Selected>,
  ): void {
    for (const selection of set.selections) {
      const isLeft = isOptional || isConditional(selection.directives);
      if (selection.kind === 'Field') {
        const key = selection.alias?.value ?? selection.name.value;
        const known = into.get(key);
        if (known === undefined) into.set(key, { nodes: [selection], isOptional: isLeft });
        else {
          known.nodes.push(selection);
          known.isOptional &&= isLeft;
        }
        continue;
      }
      const fragment =
        selection.kind === 'InlineFragment' ? selection : this.#fragments.get(selection.name.value);
      if (fragment !== undefined && this.#applies(fragment.typeCondition?.name.value, type))
        this.#collect(type, fragment.selectionSet, isLeft, into);
    }
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const wanted = this.#schema.getType(condition);
    return isAbstractType(wanted) && this.#schema.isSubType(wanted, type);
  }

  #fieldsText({ fields, type }: Shape, indent: string): string {
    const inner = `${indent}  `;
    const lines = [...fields].map(([key, { nodes, isOptional }]) => {
      const field = type.getFields()[nodes[0]?.name.value ?? ''];
      const value = field === undefined ? 'string' : this.#output(field.type, nodes, inner);
      return `${inner}readonly ${key}${isOptional ? '?' : ''}: ${value}${isOptional ? ' | undefined' : ''};\n`;
    });
    return lines.join('');
  }

  #output(type: GraphQLOutputType, nodes: readonly FieldNode[], indent: string): string {
    if (!isNonNullType(type)) return `${this.#present(type, nodes, indent)} | null`;
    return this.#present(type.ofType, nodes, indent);
  }

  #present(type: GraphQLOutputType, nodes: readonly FieldNode[], indent: string): string {
    if (isNonNullType(type)) return this.#present(type.ofType, nodes, indent);
    if (isListType(type)) {
      const item = this.#output(type.ofType, nodes, indent);
      const isUnion = item.startsWith('{') ? item.includes(`\n${indent}} |`) : item.includes(' ');
      return isUnion ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    if (isLeafType(type)) return this.#named.use(type);
    if (!isCompositeType(type)) return 'unknown';
    return this.composite(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      indent,
    );
  }
}
