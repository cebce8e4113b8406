// Members of Pothos' Prisma plugin and of Yoga that no documentation promises. Each comment says what the code relies on.
// `test/engine/graphql/private.test.ts` fails if a release changes it.
import type { IncomingMessage } from 'node:http';

/** The Prisma plugin's extensions of a field. */
interface FieldExtensions {
  /** The columns and relations that the field selects of its row; for some fields, a function of its arguments. */
  readonly pothosPrismaSelect?: object | ((...args: never[]) => unknown);
  /** Present if the field is a relation. */
  readonly pothosPrismaRelationField?: { readonly name: string; readonly isList: boolean };
}

type Extensions = Readonly<Record<string, unknown>> | null | undefined;

/** Returns what the Prisma plugin selects for a field, and the relation that the field is. */
export function plannedBy(extensions: Extensions): {
  readonly select: FieldExtensions['pothosPrismaSelect'];
  readonly relation: FieldExtensions['pothosPrismaRelationField'];
} {
  const { pothosPrismaSelect: select, pothosPrismaRelationField: relation }: FieldExtensions =
    extensions ?? {};
  return { select, relation };
}

/** Returns the name of the model whose rows a type of the Prisma plugin has. */
export function modelIn(extensions: Extensions): unknown {
  return extensions?.pothosPrismaModel;
}

/** Keeps the text of a body that was read already. Yoga looks for it in `body`, as Express' parsers set it. */
export function keepBody(req: IncomingMessage, body: string): void {
  Object.assign(req, { body });
}

/** Returns the id of a trusted document. Yoga passes on all that the body has, though the type of parameters lacks it. */
export function documentIdIn(params: { readonly documentId?: unknown } | object): unknown {
  return 'documentId' in params ? params.documentId : undefined;
}
