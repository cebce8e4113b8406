import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_LENGTH = 8;
/** Bytes of a pixel: red, green, blue and opacity. */
const PIXEL = 4;
/** The step to which values of a channel are rounded. */
const STEP = 16;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_LENGTH; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const data = png.subarray(at + 8, at + 8 + length);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** The Paeth predictor of PNG: the nearest of left, above and upper left to left + above − upper left. */
function paeth(left: number, above: number, corner: number): number {
  const expected = left + above - corner;
  const [a, b, c] = [left, above, corner].map((one) => Math.abs(expected - one)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** The pixels, row by row, with the filters of the encoder removed. */
function pixelsOf(filtered: Buffer, width: number, height: number): Buffer {
  const stride = width * PIXEL;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const to = y * stride + x;
      const left = x < PIXEL ? 0 : (pixels[to - PIXEL] ?? 0);
      const above = y === 0 ? 0 : (pixels[to - stride] ?? 0);
      const corner = x < PIXEL || y === 0 ? 0 : (pixels[to - stride - PIXEL] ?? 0);
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      pixels[to] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return pixels;
}

/**
 * The same picture with a palette, which makes pictures of text a third as large: similar colours become the most frequent of
 * them. `png` has eight bits for each of red, green, blue and alpha, as Chromium writes it.
 */
export function withPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = Buffer.from(chunks.find(({ type }) => type === 'IHDR')?.data ?? []);
  if (header[8] !== 8 || header[9] !== 6) throw new Error('This is no PNG of the kind that Chromium makes.');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const pixels = pixelsOf(inflateSync(packed), width, height);

  const counts = new Map<number, number>();
  const colourAt = (at: number) => pixels.readUInt32BE(at);
  for (let at = 0; at < pixels.length; at += PIXEL)
    counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette: number[] = [];
  const places = new Map<string, number>();
  const indices = new Map<number, number>();
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    const near = [24, 16, 8, 0].map((shift) => Math.round(((colour >>> shift) & 255) / STEP)).join();
    const place = places.get(near) ?? palette.push(colour) - 1;
    places.set(near, place);
    indices.set(colour, place);
  }
  if (palette.length > 256) throw new Error(`The picture has ${palette.length} shades; a palette has 256.`);

  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = indices.get(colourAt((y * width + x) * PIXEL)) ?? 0;
  header[9] = 3;
  return Buffer.concat([
    png.subarray(0, SIGNATURE_LENGTH),
    chunk('IHDR', header),
    chunk(
      'PLTE',
      Buffer.from(palette.flatMap((colour) => [24, 16, 8].map((shift) => (colour >>> shift) & 255))),
    ),
    chunk('tRNS', Buffer.from(palette.map((colour) => colour & 255))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
