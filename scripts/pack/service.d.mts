export function layOutService(folder: string): void;
