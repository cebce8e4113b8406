// The thread that decodes and encodes one image, and ends: what it needed of memory is free again, and nothing of one image is there
// for the next.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import decodeJpeg, { init as initJpegDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initJpegEncoder } from '@jsquash/jpeg/encode.js';
import { decode as decodePng, init as initPng } from '@jsquash/png/decode.js';
import encodePng from '@jsquash/png/encode.js';
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js';
import { builtFile } from '../tools/own-files.ts';
import { makeUpright, onWhite, type Picture, scaleDown, sizeWithin } from './drawing.ts';
import { ImageRefused } from './fault.ts';
import type { ReadImage } from './header.ts';
import { limitMemory, PAGE } from './memory-limit.ts';
import type { CodecAnswer, CodecQuestion } from './work.ts';

/** Bytes that a codec may have, of which 25 megapixels are 100 MB. */
const MAX_MEMORY = 256 * 1024 * 1024;

/** The qualities of a JPEG, from the first that is tried. */
const QUALITIES = [82, 70, 55, 40];
/** A picture that has so many times too many bytes is made smaller at once: less quality would not do. */
const HOPELESS = 3;
/** A share of the computed size, so that the next try fits. */
const MARGIN = 0.9;
/** A picture of this size has less than any limit. */
const SMALLEST = 16;

function moduleIn(name: string): WebAssembly.Module {
  const bytes = readFileSync(builtFile(`generated/codecs/${name}.wasm`));
  return new WebAssembly.Module(bufferOf(limitMemory(bytes, MAX_MEMORY / PAGE)));
}

/** The options by which Emscripten's code takes a module, and prints nothing. */
function optionsFor(name: string) {
  const silent = () => undefined;
  return {
    print: silent,
    printErr: silent,
    instantiateWasm(imports: WebAssembly.Imports, take: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(moduleIn(name), imports);
      take(instance);
      return instance.exports;
    },
  };
}

/** The bytes in a buffer of their own, as the codecs take them. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

async function decode({ format, bytes }: Pick<ReadImage, 'format' | 'bytes'>): Promise<Picture> {
  const buffer = bufferOf(bytes);
  if (format === 'png') return decodePng(buffer);
  if (format === 'webp') {
    await initWebp(optionsFor('webp_dec'));
    return decodeWebp(buffer);
  }
  await initJpegDecoder(optionsFor('mozjpeg_dec'));
  // Otherwise the decoder turns it as well.
  return decodeJpeg(buffer, { preserveOrientation: false });
}

/** A JPEG of at most `max` bytes: of less quality, and then smaller, until it fits. */
async function jpegWithin(picture: Picture, max: number): Promise<CodecAnswer> {
  await initJpegEncoder(optionsFor('mozjpeg_enc'));
  let current = picture;
  for (;;) {
    let size = 0;
    for (const quality of QUALITIES) {
      const bytes = new Uint8Array(await encodeJpeg(imageData(current), { quality }));
      size = bytes.length;
      const { width, height } = current;
      if (size <= max) return { bytes, width, height };
      if (size > max * HOPELESS) break;
    }
    const side = Math.max(current.width, current.height);
    if (side <= SMALLEST) throw new ImageRefused('TOO_LARGE');
    const smaller = Math.floor(side * Math.sqrt(max / size) * MARGIN);
    current = scaleDown(current, sizeWithin(current, Math.max(SMALLEST, Math.min(side - 1, smaller))));
  }
}

/** A picture as the codecs take it. Their modules define the class, which Node lacks. */
function imageData({ width, height, data }: Picture): ImageData {
  return new ImageData(new Uint8ClampedArray(data), width, height);
}

async function make({ image, form }: CodecQuestion): Promise<CodecAnswer> {
  if (image.format === 'png' || form.format === 'png') await initPng(moduleIn('squoosh_png_bg'));
  const decoded = await decode(image);
  if (decoded.width !== image.width || decoded.height !== image.height) throw new ImageRefused('BROKEN');
  const scaled = scaleDown(decoded, sizeWithin(decoded, form.maxSide));
  const upright = makeUpright(scaled, image.orientation);
  if (form.format === 'jpeg') return jpegWithin(onWhite(upright), form.maxBytes);
  const { width, height } = upright;
  return { bytes: new Uint8Array(await encodePng(imageData(upright))), width, height };
}

// As `ImageWork` gives it.
const question = workerData as CodecQuestion;

try {
  parentPort?.postMessage(await make(question));
} catch (error) {
  const fault = error instanceof ImageRefused ? error.fault : 'BROKEN';
  parentPort?.postMessage({ fault } satisfies CodecAnswer);
}
