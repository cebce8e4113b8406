export interface Release {
  readonly folder: string;
  readonly version: string;
  readonly day: string;
  readonly checks?: readonly (readonly string[])[];
  readonly report?: (line: string) => void;
}
export const CHECKS: readonly (readonly string[])[];
export function makeRelease(release: Release): Promise<void>;
