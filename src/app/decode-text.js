// JavaScript, since `scripts/run.mjs` reads `.env` before anything is built.

/**
 * Decodes the bytes of a text that an editor or a shell may have saved in UTF-8 or UTF-16, with byte order marks or without, and
 * with the line ends of any system. Bytes that are not UTF-8 become U+FFFD.
 */
export function decodeText(bytes) {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  // Joined files have marks within.
  return new TextDecoder(encoding).decode(bytes).replaceAll('\ufeff', '').replaceAll(/\r\n?/g, '\n');
}
