/** U+FEFF in UTF-8. */
const MARK = Buffer.from('\ufeff');

/** A text's bytes, or the first of them, without the byte order mark that some programs put before it. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
}
