import { textOf } from './input.ts';

/** URL parsers skip control characters and missing hosts; neither belongs into an address that is kept as written. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/\\?#\p{Cc}][^\p{Cc}]*$/iu.test(text) && URL.canParse(text);
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

/** The host that a web address leads to, as normalizeHost would give it; a dot at its end means no other host. */
export function hostOf(address: string): string {
  const { hostname, port } = new URL(address);
  return `${hostname.replace(/\.$/, '')}${port && `:${port}`}`;
}
