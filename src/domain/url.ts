import { textOf } from './input.ts';

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && hostname !== '';
}

/** An absolute http or https URL with a host, kept as it was written. */
export const webAddress = textOf(1, 2048).refine(
  (text) => text === '' || isWebAddress(text),
  'must be an absolute http or https URL',
);

/**
 * A host as browsers send it: small letters, international names in ASCII, the port where it is not the usual one. Null
 * where the text is anything but a host.
 */
export function normalizeHost(text: string): string | null {
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(`http://${text}`)) return null;
  const { host } = new URL(`http://${text}`);
  return host === '' || host.length > 255 ? null : host;
}
