export function foldersIn(moduleIds: readonly string[]): string[];
