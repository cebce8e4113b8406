import { hashDocument } from '../domain/operation/checks.ts';
import { toolDocuments } from '../generated/tool-documents.ts';
import type { StoredText } from '../schema/saved-operations.ts';

/** A tool of the service's own. */
export interface BuiltInTool extends StoredText {
  readonly name: string;
  readonly about: string;
}

/** The service's own tools, by their names: a document of this folder each. */
export const builtInTools: ReadonlyMap<string, BuiltInTool> = new Map(
  toolDocuments.map((tool) => [tool.name, { ...tool, hash: hashDocument(tool.document) }]),
);
