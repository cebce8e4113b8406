import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { comment, literal } from './names.ts';

/** Types of scalars; others are unknown. */
const SCALARS: ReadonlyMap<string, string> = new Map([
  ['Int', 'number'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
  ...['String', 'ID', 'DateTime', 'Date', 'URL'].map((name) => [name, 'string'] as const),
]);

/** The named types of the schema that a module needs: enums and inputs. */
export class NamedTypes {
  readonly #used = new Map<string, GraphQLNamedInputType>();

  /** Returns the name of a type in TypeScript, and has the module declare the type. */
  use(type: GraphQLNamedInputType): string {
    if (!isEnumType(type) && !isInputObjectType(type)) return SCALARS.get(type.name) ?? 'unknown';
    if (!this.#used.has(type.name)) {
      this.#used.set(type.name, type);
      if (isInputObjectType(type))
        for (const field of Object.values(type.getFields())) this.use(getNamedType(field.type));
    }
    return type.name;
  }

  /** Returns the type of a value that is sent. */
  sent(type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.#present(type.ofType);
    return `${this.#present(type)} | null`;
  }

  #present(type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.#present(type.ofType);
    if (!isListType(type)) return this.use(type);
    const item = this.sent(type.ofType);
    return item.includes(' ') ? `readonly (${item})[]` : `readonly ${item}[]`;
  }

  /** Returns the declarations of all types in use, by name. */
  declarations(): string[] {
    const byName = [...this.#used.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return byName.map((type) => comment(type.description) + this.#declare(type));
  }

  #declare(type: GraphQLNamedInputType): string {
    if (isEnumType(type))
      return `export type ${type.name} =${type
        .getValues()
        .map(({ name }) => `\n  | ${literal(name)}`)
        .join('')};`;
    if (!isInputObjectType(type)) return '';
    const fields = Object.values(type.getFields());
    if (!type.isOneOf)
      return `export interface ${type.name} {\n${fields.map((one) => this.#field(one)).join('')}}`;
    const choices = fields.map((chosen) => {
      const others = fields.filter((one) => one !== chosen).map(({ name }) => `readonly ${name}?: never`);
      return `\n  | { ${[`readonly ${chosen.name}: ${this.#present(chosen.type)}`, ...others].join('; ')} }`;
    });
    return `export type ${type.name} =${choices.join('')};`;
  }

  #field(field: GraphQLInputField): string {
    const { name, type, description } = field;
    const written = isRequiredInputField(field)
      ? `${name}: ${this.sent(type)}`
      : `${name}?: ${this.sent(type)} | undefined`;
    return `${comment(description, '  ')}  readonly ${written};\n`;
  }
}
