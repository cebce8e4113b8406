// Characters that change the direction of the text around them. In addresses, browsers send them percent-encoded.

const CONTROL = /\p{Bidi_Control}/gu;
const SENT = /%D8%9C|%E2%80%(?:8[EF]|A[A-E])|%E2%81%A[6-9]/g;

/** All of them, each as it is sent. */
export const bidiControls: ReadonlyMap<string, string> = new Map(
  [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].map((control) => [
    control,
    encodeURIComponent(control),
  ]),
);

/** The address with these characters as they are sent, so that nothing shows it in another order. */
export function encodeBidi(address: string): string {
  return address.replaceAll(CONTROL, encodeURIComponent);
}

/** The address of `encodeBidi`, and how earlier versions may have stored it. */
export function listSpellings(address: string): string[] {
  const before = address.replaceAll(SENT, decodeURIComponent);
  return before === address ? [address] : [address, before];
}

/** A text that somebody else wrote, for a place without markup: it does not change the order of what is around it. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
