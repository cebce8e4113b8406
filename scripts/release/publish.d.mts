interface Publication {
  readonly folder: string;
  readonly pack?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly report?: (line: string) => void;
}
export function publishRelease(publication: Publication): Promise<void>;
