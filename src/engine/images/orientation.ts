/** The tag of a camera's orientation in Exif, and its type, a number of two bytes. */
const ORIENTATION = 0x0112;
const SHORT = 3;

/** The most entries of the first directory that are looked through. */
const MAX_ENTRIES = 512;

/**
 * Returns the orientation in a TIFF structure, as Exif has it: 1 is upright, 2 to 8 are turned or mirrored.
 * Anything that cannot be read is upright.
 */
export function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return 1;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const isLittle = order === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const entries = Math.min(short(start), MAX_ENTRIES);
  for (let entry = 0; entry < entries; entry++) {
    const at = start + 2 + entry * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) !== ORIENTATION || short(at + 2) !== SHORT) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
