import { crc32, deflateSync } from 'node:zlib';
import { encodeQR } from 'qr';
import { z } from 'zod';
import { fieldError, invalid } from '../../engine/rules/errors.ts';
import {
  choiceSchema,
  integerSchema,
  parseInput,
  type Unparsed,
  withDefault,
} from '../../engine/rules/input.ts';
import { refusal } from '../rules.ts';

/** Levels of error correction: how much of a code may be damaged or covered. */
export const qrErrorCorrections = {
  L: 'About 7 percent.',
  M: 'About 15 percent.',
  Q: 'About 25 percent.',
  H: 'About 30 percent.',
} as const;

const levels = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;

export const qrCodeInput = z.object({
  size: withDefault(integerSchema(32, 2048), 256),
  errorCorrection: withDefault(choiceSchema(qrErrorCorrections), 'M'),
  margin: withDefault(integerSchema(0, 32), 4),
});

/** A QR code: its dark modules by row, the margin included, and its width and height in pixels. */
interface QrCode {
  readonly modules: readonly (readonly boolean[])[];
  readonly size: number;
}

type Level = keyof typeof levels;

/** The most bytes of the largest code. */
const CAPACITY: Readonly<Record<Level, number>> = { L: 2953, M: 2331, Q: 1663, H: 1273 };
const FROM_HIGHEST: readonly Level[] = ['H', 'Q', 'M', 'L'];

/**
 * The text and the level that fit into a code: a long URL has less error correction, and the longest ones are not percent-encoded,
 * as browsers take them, too.
 */
function fitting(text: string, level: Level): [text: string, level: Level] {
  const allowed = FROM_HIGHEST.slice(FROM_HIGHEST.indexOf(level));
  for (const form of [text, decodeURI(text)]) {
    const fits = allowed.find((one) => Buffer.byteLength(form) <= CAPACITY[one]);
    if (fits !== undefined) return [form, fits];
  }
  return [text, 'L'];
}

function encodeQrCode(url: string, input: Unparsed<typeof qrCodeInput>): QrCode {
  const { size, errorCorrection, margin } = parseInput(qrCodeInput, input);
  const [text, level] = fitting(url, errorCorrection);
  // The library's minimum margin is one module.
  const framed = encodeQR(text, 'raw', { ecc: levels[level], border: 1, scale: 1 });
  const code = framed.slice(1, -1).map((row) => row.slice(1, -1));
  const width = code.length + 2 * margin;
  const light = () => Array.from({ length: width }, () => false);
  const sides = Array.from({ length: margin }, () => false);
  const modules = [
    ...Array.from({ length: margin }, light),
    ...code.map((row) => [...sides, ...row, ...sides]),
    ...Array.from({ length: margin }, light),
  ];
  return { modules, size };
}

/**
 * The text as a QR code in SVG, black on white.
 * @param input `size` in pixels, `margin` in modules
 * @throws DomainError VALIDATION
 */
export function qrCodeSvg(text: string, input: Unparsed<typeof qrCodeInput>): string {
  const { modules, size } = encodeQrCode(text, input);
  const width = modules.length;
  const runs = modules.flatMap((row, y) =>
    row.flatMap((dark, x) => {
      if (!dark || row[x - 1]) return [];
      const end = row.indexOf(false, x);
      const length = (end === -1 ? width : end) - x;
      return [`M${x} ${y}h${length}v1h-${length}z`];
    }),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${width} ${width}" ` +
    `shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${width}v${width}H0z"/><path d="${runs.join('')}"/></svg>`
  );
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/**
 * Draws a QR code as PNG with one bit per pixel. Modules measure whole pixels, all alike; the rest of the size is
 * margin.
 * @throws DomainError VALIDATION, also if the size has less than a pixel per module
 */
export function qrCodePng(text: string, input: Unparsed<typeof qrCodeInput>): Buffer {
  const { modules, size } = encodeQrCode(text, input);
  const scale = Math.floor(size / modules.length);
  if (scale === 0) throw invalid([fieldError(['size'], refusal('QR_SIZE', { min: modules.length }))]);
  const before = Math.floor((size - scale * modules.length) / 2);
  const bytes = Math.ceil(size / 8);
  // Each row begins with its filter type: 0 is none. A set bit is white.
  const blank = Buffer.alloc(bytes + 1, 0xff);
  blank[0] = 0;
  const rows = modules.map((row) => {
    const line = Buffer.from(blank);
    for (let x = before; x < before + scale * row.length; x++) {
      if (!row[Math.floor((x - before) / scale)]) continue;
      const at = 1 + (x >> 3);
      line[at] = (line[at] ?? 0) & ~(0x80 >> (x & 7));
    }
    return line;
  });
  const lineAt = (y: number) => rows[Math.floor((y - before) / scale)] ?? blank;
  const pixels = Buffer.concat(Array.from({ length: size }, (_, y) => lineAt(y)));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Bit depth 1, greyscale.
  header[8] = 1;
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
