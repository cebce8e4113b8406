export function decodeText(bytes: Uint8Array): string;
