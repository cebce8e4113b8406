/** The number of the section with a module's memory. */
const MEMORY_SECTION = 5;
const HEADER_LENGTH = 8;

/** Bytes of a page of WebAssembly's memory. */
export const PAGE = 65_536;

/** An unsigned number in as many bytes as it needs, and the place behind it. */
function readNumber(bytes: Buffer, from: number): { value: number; end: number } {
  let [value, factor, at] = [0, 1, from];
  for (; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

function writeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...writeNumber(Math.floor(value / 128))];
}

/**
 * Returns a WebAssembly module that may not have more than `pages` of memory. Its own maximum may be two gigabytes.
 * @throws Error for a module without one memory of its own
 */
export function limitMemory(module: Buffer, pages: number): Buffer {
  for (let at = HEADER_LENGTH; at < module.length; ) {
    const id = module[at];
    const { value: length, end: start } = readNumber(module, at + 1);
    const end = start + length;
    if (id === MEMORY_SECTION && module[start] === 1) {
      const { value: min } = readNumber(module, start + 2);
      // One memory, which has a maximum.
      const section = [1, 1, ...writeNumber(min), ...writeNumber(Math.max(min, pages))];
      const made = Buffer.from([MEMORY_SECTION, ...writeNumber(section.length), ...section]);
      return Buffer.concat([module.subarray(0, at), made, module.subarray(end)]);
    }
    at = end;
  }
  throw new Error('the module has no memory of its own');
}
