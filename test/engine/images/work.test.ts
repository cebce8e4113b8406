import { readFileSync } from 'node:fs';
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js';
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { ImageRefused } from '../../../src/engine/images/fault.ts';
import { readImage } from '../../../src/engine/images/header.ts';
import { limitMemory } from '../../../src/engine/images/memory-limit.ts';
import { type ImageForm, ImageWork } from '../../../src/engine/images/work.ts';
import { TIMED_OUT } from '../../../src/engine/tools/timeout.ts';
import { TooMuchWaiting } from '../../../src/engine/tools/turns.ts';
import {
  BLUE,
  CLEAR,
  draw,
  exifWith,
  halves,
  jpegOf,
  noise,
  PNG_START,
  pngChunk,
  pngHeader,
  pngOf,
  RED,
  webpChunk,
  webpOf,
  webpWith,
  withExif,
} from '../../support/images.ts';

/** Without a limit of time: how fast this machine is does not matter. */
const work = new ImageWork({ within: (answered) => answered });
const JPEG: ImageForm = { format: 'jpeg', maxSide: 1200, maxBytes: 100_000 };
const LOGO: ImageForm = { format: 'png', maxSide: 512 };

const make = (bytes: Buffer, form: ImageForm = JPEG) => work.make('one', readImage(bytes), form);

/** The reason for which an image is refused; null if it is not. */
async function faultOf(bytes: Buffer): Promise<string | null> {
  try {
    await make(bytes);
    return null;
  } catch (error) {
    if (error instanceof ImageRefused) return error.fault;
    throw error;
  }
}

beforeAll(async () => {
  const bytes = readFileSync('node_modules/@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm');
  await initJpeg({
    instantiateWasm(imports: WebAssembly.Imports, take: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), imports);
      take(instance);
      return instance.exports;
    },
  });
});

/** The nearest of red, blue, white and black at a place of a JPEG. */
async function colorsOf(bytes: Uint8Array, ...places: readonly [number, number][]): Promise<string[]> {
  const { data, width } = await decodeJpeg(new Uint8Array(bytes).buffer);
  return places.map(([x, y]) => {
    const at = (y * width + x) * 4;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (green > 128) return 'white';
    return red > 128 ? 'red' : blue > 128 ? 'blue' : 'black';
  });
}

describe('an image is made anew', () => {
  test.each([
    ['PNG', async () => pngOf(halves())],
    ['JPEG', () => jpegOf(halves())],
    ['WebP', () => webpOf(halves())],
    ['lossless WebP', () => webpOf(halves(), true)],
  ])('of a %s', async (_name, image) => {
    const made = await make(await image());
    expect(made).toMatchObject({ width: 64, height: 32 });
    expect(Buffer.from(made.bytes.subarray(0, 3)).toString('hex')).toBe('ffd8ff');
    expect(await colorsOf(made.bytes, [8, 16], [56, 16])).toEqual(['red', 'blue']);
  });

  test.each([
    [1, 64, ['red', 'blue']],
    [2, 64, ['blue', 'red']],
    [3, 64, ['blue', 'red']],
    [4, 64, ['red', 'blue']],
    [5, 32, ['red', 'blue']],
    [6, 32, ['red', 'blue']],
    [7, 32, ['blue', 'red']],
    [8, 32, ['blue', 'red']],
  ])(
    'upright with the orientation %i, and without the place that a camera wrote',
    async (one, width, colors) => {
      const jpeg = withExif(await jpegOf(halves()), exifWith(one));
      expect(jpeg.includes('GPS-52')).toBe(true);
      const made = await make(jpeg);
      expect(made.width).toBe(width);
      const ends: [number, number][] =
        width === 64
          ? [
              [8, 16],
              [56, 16],
            ]
          : [
              [16, 8],
              [16, 56],
            ];
      expect(await colorsOf(made.bytes, ...ends)).toEqual(colors);
      expect(Buffer.from(made.bytes).includes('GPS-52')).toBe(false);
      expect(Buffer.from(made.bytes).includes('Exif')).toBe(false);
      expect(readImage(jpeg).bytes.includes('GPS-52')).toBe(false);
    },
  );

  test('upright where PNG and WebP have an orientation', async () => {
    const png = pngOf(halves(), pngChunk('eXIf', exifWith(6)));
    expect(readImage(png)).toMatchObject({ orientation: 6 });
    const canvas = Buffer.from([0x08, 0, 0, 0, 63, 0, 0, 31, 0, 0]);
    const picture = (await webpOf(halves())).subarray(12);
    const webp = webpWith(webpChunk('VP8X', canvas), picture, webpChunk('EXIF', exifWith(6)));
    for (const one of [png, webp]) expect(await make(one)).toMatchObject({ width: 32, height: 64 });
  });

  test('with white behind what is transparent in a JPEG', async () => {
    const { bytes } = await make(pngOf(draw(32, 32, (x) => (x < 16 ? RED : CLEAR))));
    expect(await colorsOf(bytes, [4, 16], [28, 16])).toEqual(['red', 'white']);
  });

  test('within the bytes of a JPEG: of less quality, and then smaller', async () => {
    const { bytes, width } = await make(pngOf(noise(700, 700)));
    expect(bytes.length).toBeLessThanOrEqual(100_000);
    expect(width).toBeLessThan(700);
    const plain = await make(pngOf(halves(2400, 1200)));
    expect(plain).toMatchObject({ width: 1200, height: 600 });
  });

  test('as a PNG within a square, which stays transparent', async () => {
    const { bytes } = await make(pngOf(draw(1024, 512, (x) => (x < 512 ? BLUE : CLEAR))), LOGO);
    const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
    expect([width, height]).toEqual([512, 256]);
    expect([...data.subarray(0, 4)]).toEqual([...BLUE]);
    expect(data[(512 - 1) * 4 + 3]).toBe(0);
  });
});

describe('an image is refused', () => {
  test('in another format, such as SVG, GIF or a page', async () => {
    const texts = ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a', '<!doctype html>', '', 'RIFF'];
    for (const text of texts) expect(await faultOf(Buffer.from(text))).toBe('FORMAT');
  });

  test('that moves', async () => {
    const frames = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]);
    expect(await faultOf(pngOf(halves(), pngChunk('acTL', frames)))).toBe('ANIMATED');
    const canvas = Buffer.from([0x02, 0, 0, 0, 63, 0, 0, 31, 0, 0]);
    const picture = (await webpOf(halves())).subarray(12);
    expect(await faultOf(webpWith(webpChunk('VP8X', canvas), picture))).toBe('ANIMATED');
    const still = webpChunk('VP8X', Buffer.from([0, 0, 0, 0, 63, 0, 0, 31, 0, 0]));
    expect(await faultOf(webpWith(still, webpChunk('ANMF', picture)))).toBe('ANIMATED');
  });

  test('with something behind its end, such as a page or an archive', async () => {
    const more = Buffer.from('<script>alert(1)</script>PK\x03\x04');
    for (const one of [pngOf(halves()), await jpegOf(halves()), await webpOf(halves())])
      expect(await faultOf(Buffer.concat([one, more]))).toBe('TRAILING');
  });

  test('that is cut off anywhere', async () => {
    for (const one of [pngOf(halves()), await jpegOf(halves()), await webpOf(halves())])
      for (const length of [one.length - 1, one.length >> 1, 40, 12]) {
        const fault = await faultOf(one.subarray(0, length));
        expect(['BROKEN', 'FORMAT']).toContain(fault);
      }
  });

  test('whose data are not those that its header promises', async () => {
    const bomb = [PNG_START, pngHeader(100, 100), pngChunk('IDAT', Buffer.from('no data')), pngChunk('IEND')];
    expect(await faultOf(Buffer.concat(bomb))).toBe('BROKEN');
    const jpeg = await jpegOf(halves());
    const tables = jpeg.indexOf(Buffer.from([0xff, 0xdb]));
    const broken = Buffer.concat([
      jpeg.subarray(0, tables),
      Buffer.from([0xff, 0xdb, 0, 3, 0xff]),
      jpeg.subarray(tables),
    ]);
    expect(await faultOf(broken)).toBe('BROKEN');
  });

  test('with too many pixels, before any of it is decoded', async () => {
    const huge = Buffer.concat([PNG_START, pngHeader(60_000, 60_000), pngChunk('IDAT'), pngChunk('IEND')]);
    expect(() => readImage(huge)).toThrow(new ImageRefused('TOO_MANY_PIXELS'));
    const jpeg = await jpegOf(halves());
    const frame =
      [0xc0, 0xc2].map((marker) => jpeg.indexOf(Buffer.from([0xff, marker]))).find((at) => at > 0) ?? 0;
    jpeg.writeUInt16BE(65_000, frame + 5);
    jpeg.writeUInt16BE(65_000, frame + 7);
    expect(() => readImage(jpeg)).toThrow(new ImageRefused('TOO_MANY_PIXELS'));
    const webp = await webpOf(halves(), true);
    webp.writeUInt32LE(0x0fff_ffff, webp.indexOf('VP8L') + 9);
    expect(() => readImage(webp)).toThrow(new ImageRefused('TOO_MANY_PIXELS'));
  });

  test('whose canvas is not as large as its picture', async () => {
    const canvas = Buffer.from([0, 0, 0, 0, 63, 0, 0, 127, 0, 0]);
    const picture = (await webpOf(halves())).subarray(12);
    expect(await faultOf(webpWith(webpChunk('VP8X', canvas), picture))).toBe('BROKEN');
  });

  test('whose scans go through its pixels too often', async () => {
    const jpeg = await jpegOf(halves());
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    const data = jpeg.subarray(scan, -2);
    const many = Buffer.concat([jpeg.subarray(0, scan), ...new Array(50).fill(data), jpeg.subarray(-2)]);
    expect(await faultOf(many)).toBe('TOO_MUCH_WORK');
  });

  test('if it takes too long', async () => {
    const slow = new ImageWork({ within: async () => TIMED_OUT });
    const image = readImage(pngOf(halves()));
    await expect(slow.make('one', image, JPEG)).rejects.toThrow(new ImageRefused('TOO_MUCH_WORK'));
  });
});

test('images are made one at a time, and a number of them waits', async () => {
  const gates: (() => void)[] = [];
  const within = async <T>(answered: Promise<T>): Promise<T> => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return answered;
  };
  const busy = new ImageWork({ within, maxWaiting: 2 });
  const image = readImage(pngOf(halves()));
  const made = ['one', 'one', 'two'].map((owner) => busy.make(owner, image, JPEG));
  await expect(busy.make('two', image, JPEG)).rejects.toThrow(TooMuchWaiting);
  for (let done = 0; done < 3; done++) {
    await expect.poll(() => gates.length).toBe(done + 1);
    gates[done]?.();
    await Promise.race(made);
  }
  expect(await Promise.all(made)).toHaveLength(3);
});

test('a codec cannot have more memory than its limit', () => {
  const codec = readFileSync('node_modules/@jsquash/png/codec/pkg/squoosh_png_bg.wasm');
  const limited = new WebAssembly.Module(new Uint8Array(limitMemory(codec, 100)));
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module, name } of WebAssembly.Module.imports(limited))
    imports[module] = { ...imports[module], [name]: () => 0 };
  const { exports } = new WebAssembly.Instance(limited, imports);
  const { memory } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('the codec has no memory');
  const before = memory.buffer.byteLength / 65_536;
  expect(() => memory.grow(101 - before)).toThrow();
  memory.grow(100 - before);
  expect(() => limitMemory(Buffer.from('0061736d01000000', 'hex'), 1)).toThrow('no memory');
});
