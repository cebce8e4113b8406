import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import encodeJpeg, { init as initJpeg } from '@jsquash/jpeg/encode.js';
import encodeWebp, { init as initWebp } from '@jsquash/webp/encode.js';

/** A color with its opacity. */
type Color = readonly [red: number, green: number, blue: number, opacity: number];

/** Draws a picture by the color of each place. */
export function draw(width: number, height: number, colorAt: (x: number, y: number) => Color): ImageData {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(colorAt(x, y), (y * width + x) * 4);
  return { width, height, data, colorSpace: 'srgb' };
}

export const RED: Color = [255, 0, 0, 255];
export const BLUE: Color = [0, 0, 255, 255];
export const CLEAR: Color = [0, 0, 0, 0];

/** A picture whose left half is red, and the other one blue. */
export const halves = (width = 64, height = 32): ImageData =>
  draw(width, height, (x) => (x < width / 2 ? RED : BLUE));

/** A picture of noise, which takes many bytes. It is the same each time. */
export function noise(width: number, height: number): ImageData {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return draw(width, height, () => [next(), next(), next(), 255]);
}

/** A chunk of a PNG. */
export function pngChunk(name: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

export const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The first chunk of a PNG with four channels. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return pngChunk('IHDR', header);
}

/** A PNG of a picture, with further chunks before its data. */
export function pngOf({ width, height, data }: ImageData, ...more: readonly Buffer[]): Buffer {
  const lines = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++)
    lines.set(data.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  const pixels = pngChunk('IDAT', deflateSync(lines));
  return Buffer.concat([PNG_START, pngHeader(width, height), ...more, pixels, pngChunk('IEND')]);
}

/** Emscripten's options by which a codec takes its module from a package's file. */
function optionsFor(path: string) {
  return {
    instantiateWasm(imports: WebAssembly.Imports, take: (instance: WebAssembly.Instance) => void) {
      const bytes = new Uint8Array(readFileSync(`node_modules/@jsquash/${path}.wasm`));
      const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
      take(instance);
      return instance.exports;
    },
  };
}

export async function jpegOf(picture: ImageData): Promise<Buffer> {
  await initJpeg(optionsFor('jpeg/codec/enc/mozjpeg_enc'));
  return Buffer.from(await encodeJpeg(picture, { quality: 90 }));
}

export async function webpOf(picture: ImageData, lossless = false): Promise<Buffer> {
  await initWebp(optionsFor('webp/codec/enc/webp_enc_simd'));
  return Buffer.from(await encodeWebp(picture, { lossless: lossless ? 1 : 0 }));
}

/** A chunk of a WebP. */
export function webpChunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name, 'latin1'), length, content, padding]);
}

/** A WebP of chunks. */
export function webpWith(...chunks: readonly Buffer[]): Buffer {
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** An orientation and a place, as a camera writes them in Exif. */
export function exifWith(orientation: number, place = 'GPS-52.5200-13.4050'): Buffer {
  const entries = Buffer.alloc(2 + 2 * 12 + 4);
  entries.writeUInt16LE(2, 0);
  entries.writeUInt16LE(0x0112, 2);
  entries.writeUInt16LE(3, 4);
  entries.writeUInt32LE(1, 6);
  entries.writeUInt16LE(orientation, 10);
  // A directory of places.
  entries.writeUInt16LE(0x8825, 14);
  entries.writeUInt16LE(4, 16);
  entries.writeUInt32LE(1, 18);
  entries.writeUInt32LE(8 + entries.length, 22);
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), entries, Buffer.from(place)]);
}

/** A JPEG with Exif behind its start. */
export function withExif(jpeg: Buffer, tiff: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}
