export function layOutCli(folder: string): Promise<void>;
