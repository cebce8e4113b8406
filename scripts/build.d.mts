export function commandsIn(manifest: {
  readonly scripts: Record<string, string>;
}): Record<string, { flags: string[]; program: string }>;
