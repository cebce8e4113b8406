export function layOutClient(folder: string): void;
