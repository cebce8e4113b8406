// Reads an image's structure before any decoder sees it: the format, the size, the orientation, and where it ends. What a decoder
// does not need, such as texts, profiles and places, is left out of the bytes that it gets.
import { ImageRefused } from './fault.ts';
import { readOrientation } from './orientation.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** An image whose structure was read. */
export interface ReadImage {
  readonly format: ImageFormat;
  /** The stored size; an orientation may exchange the sides. */
  readonly width: number;
  readonly height: number;
  /** From 1 to 8, as in Exif. */
  readonly orientation: number;
  /** The bytes for the decoder, without metadata. */
  readonly bytes: Buffer;
}

/** The most pixels of an image. */
export const MAX_PIXELS = 25_000_000;
/** The most scans of a JPEG: each goes through all pixels, and cameras make about ten. */
const MAX_SCANS = 40;
/** The most parts of a file. */
const MAX_PARTS = 20_000;

const broken = () => new ImageRefused('BROKEN');

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Reads the structure of an image, by its bytes alone.
 * @throws ImageRefused for another format, an animation, too many pixels, further bytes behind the end, or a broken structure
 */
export function readImage(bytes: Buffer): ReadImage {
  const image = readStructure(bytes);
  const { width, height } = image;
  if (width === 0 || height === 0) throw broken();
  if (width * height > MAX_PIXELS) throw new ImageRefused('TOO_MANY_PIXELS');
  return image;
}

function readStructure(bytes: Buffer): ReadImage {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return readPng(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes);
  if (text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WEBP') return readWebp(bytes);
  throw new ImageRefused('FORMAT');
}

/** The four letters at a place. */
const text = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4);

/** The chunks that make the picture of a PNG. */
const PICTURE_OF_PNG = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

function readPng(bytes: Buffer): ReadImage {
  const kept: Buffer[] = [PNG];
  let [width, height, orientation] = [0, 0, 1];
  let hasData = false;
  let at = PNG.length;
  for (let parts = 0; ; parts++) {
    if (at + 12 > bytes.length || parts > MAX_PARTS) throw broken();
    const length = bytes.readUInt32BE(at);
    const name = text(bytes, at + 4);
    const end = at + 12 + length;
    if (end > bytes.length || (parts === 0) !== (name === 'IHDR')) throw broken();
    const content = bytes.subarray(at + 8, end - 4);
    if (name === 'IHDR') {
      if (length !== 13) throw broken();
      [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
    }
    if (name === 'acTL' || name === 'fcTL' || name === 'fdAT') throw new ImageRefused('ANIMATED');
    if (name === 'eXIf') orientation = readOrientation(content);
    hasData ||= name === 'IDAT';
    if (PICTURE_OF_PNG.has(name)) kept.push(bytes.subarray(at, end));
    at = end;
    if (name === 'IEND') break;
  }
  if (at < bytes.length) throw new ImageRefused('TRAILING');
  if (!hasData) throw broken();
  return { format: 'png', width, height, orientation, bytes: Buffer.concat(kept) };
}

/** Markers of a JPEG without a length: those of restarts, and one for nothing. */
const isBare = (marker: number) => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
/** The markers that begin a frame, with its size. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
/** Applications' data and comments. The last kind of data, of Adobe, says which colours there are. */
const isMetadata = (marker: number) =>
  (marker >= 0xe0 && marker <= 0xed) || marker === 0xef || marker === 0xfe;

/** Returns the place of the next marker behind the data of a scan. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    // A byte of the data, a restart, or padding before a marker.
    if (next !== 0 && next !== 0xff && !isBare(next)) return at;
  }
  throw broken();
}

function readJpeg(bytes: Buffer): ReadImage {
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let [width, height, orientation] = [0, 0, 1];
  let scans = 0;
  let at = 2;
  for (let parts = 0; ; parts++) {
    if (parts > MAX_PARTS) throw broken();
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined || marker === 0xd8) throw broken();
    if (marker === 0xd9) break;
    if (isBare(marker)) {
      at += 2;
      continue;
    }
    const start = at + 4;
    const end = at + 2 + (start <= bytes.length ? bytes.readUInt16BE(at + 2) : 0);
    if (end < start || end > bytes.length) throw broken();
    if (isFrame(marker)) {
      // A second frame, and one whose height comes later.
      if (width > 0 || end - start < 6) throw broken();
      [height, width] = [bytes.readUInt16BE(start + 1), bytes.readUInt16BE(start + 3)];
      if (height === 0 || width === 0) throw broken();
    }
    if (marker === 0xe1 && bytes.toString('latin1', start, start + 6) === 'Exif\0\0')
      orientation = readOrientation(bytes.subarray(start + 6, end));
    let next = end;
    if (marker === 0xda) {
      if (++scans > MAX_SCANS) throw new ImageRefused('TOO_MUCH_WORK');
      next = endOfScan(bytes, end);
    }
    if (!isMetadata(marker)) kept.push(bytes.subarray(at, next));
    at = next;
  }
  if (at + 2 < bytes.length) throw new ImageRefused('TRAILING');
  if (width === 0 || scans === 0) throw broken();
  return { format: 'jpeg', width, height, orientation, bytes: Buffer.concat([...kept, bytes.subarray(at)]) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size in the data of a picture of WebP. */
function sizeInWebp(name: string, content: Buffer): Size {
  if (name === 'VP8L') {
    if (content.length < 5 || content[0] !== 0x2f) throw broken();
    const bits = content.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  // A key frame, and its start code.
  if (content.length < 10 || ((content[0] ?? 1) & 1) === 1 || content.toString('hex', 3, 6) !== '9d012a')
    throw broken();
  return { width: content.readUInt16LE(6) & 0x3fff, height: content.readUInt16LE(8) & 0x3fff };
}

/** The flag of an animation, and of transparency, in the first byte of `VP8X`. */
const [ANIMATION, ALPHA] = [0x02, 0x10];

function readWebp(bytes: Buffer): ReadImage {
  const size = bytes.length < 20 ? 0 : bytes.readUInt32LE(4) + 8;
  if (size < 20 || size > bytes.length) throw broken();
  if (size < bytes.length) throw new ImageRefused('TRAILING');
  let [picture, canvas]: [Size | null, Size | null] = [null, null];
  let orientation = 1;
  const kept: Buffer[] = [];
  for (let at = 12, parts = 0; at < size; parts++) {
    if (at + 8 > size || parts > MAX_PARTS) throw broken();
    const name = text(bytes, at);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (end > size) throw broken();
    const content = bytes.subarray(at + 8, at + 8 + length);
    const chunk = bytes.subarray(at, end);
    at = end;
    if (name === 'ANIM' || name === 'ANMF') throw new ImageRefused('ANIMATED');
    if (name === 'EXIF') orientation = readOrientation(withoutExifName(content));
    if (name === 'VP8X') {
      if (parts > 0 || length < 10) throw broken();
      const flags = content[0] ?? 0;
      if (flags & ANIMATION) throw new ImageRefused('ANIMATED');
      canvas = { width: content.readUIntLE(4, 3) + 1, height: content.readUIntLE(7, 3) + 1 };
      // Says nothing of the metadata that is left out.
      const cleared = Buffer.from(chunk);
      cleared[8] = flags & ALPHA;
      kept.push(cleared);
    } else if (name === 'VP8 ' || name === 'VP8L') {
      if (picture !== null) throw broken();
      picture = sizeInWebp(name, content);
      kept.push(chunk);
    } else if (name === 'ALPH') kept.push(chunk);
  }
  if (picture === null) throw broken();
  if (canvas !== null && (canvas.width !== picture.width || canvas.height !== picture.height)) throw broken();
  const head = Buffer.from(bytes.subarray(0, 12));
  head.writeUInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0), 4);
  return { format: 'webp', ...picture, orientation, bytes: Buffer.concat([head, ...kept]) };
}

/** Some programs begin the Exif of a WebP as a JPEG has it. */
function withoutExifName(content: Buffer): Buffer {
  return content.toString('latin1', 0, 6) === 'Exif\0\0' ? content.subarray(6) : content;
}
