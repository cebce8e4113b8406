import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ImportFormat } from '../../domain/transfer/formats.ts';
import { BrokenOff } from '../../domain/transfer/import.ts';
import { type RecordSource, recordsIn } from '../../domain/transfer/source.ts';
import { withoutMark } from '../../engine/tools/byte-order-mark.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';

/** Number of bytes of a file that are read to detect its format. */
const DETECTED_BYTES = 65_536;

/** The beginnings of zips, as .xlsx and .ods are, and of .xls. */
const WORKBOOKS = [Buffer.from([0x50, 0x4b, 3, 4]), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** A file of links, which can be read once. */
export interface Source extends RecordSource {
  readonly size: number;
  read(): number;
}

/**
 * Opens a CSV or JSON file, and detects which it is.
 * @throws OperatorError if it cannot be read
 */
export async function openSource(path: string, format: ImportFormat): Promise<Source> {
  const { head, size } = await readHead(path);
  if (WORKBOOKS.some((begin) => head.subarray(0, begin.length).equals(begin)))
    throw new OperatorError(
      `${path} is a workbook or another zip: import an .xlsx in the console, or save it as CSV in UTF-8.`,
    );
  // Excel's "Unicode text".
  const isWide = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(isWide ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  let stream: ReadStream | undefined;
  const read = () => {
    stream = createReadStream(path);
    return readBytes(stream, isWide);
  };
  return {
    ...recordsIn(read, text, format),
    size,
    read: () => stream?.bytesRead ?? 0,
  };
}

async function readHead(path: string): Promise<{ head: Buffer; size: number }> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`There is no file ${path}.`);
  if (!found.isFile())
    throw new OperatorError(`${path} is no file, but a folder, device or pipe: write it to a file first.`);
  const file = await open(path).catch((error: Error) => {
    throw new OperatorError(`${path} cannot be read: ${error.message}.`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DETECTED_BYTES), 0, DETECTED_BYTES, 0);
    return { head: buffer.subarray(0, bytesRead), size: found.size };
  } finally {
    await file.close();
  }
}

/** The bytes in UTF-8, without a byte order mark. */
async function* readBytes(stream: ReadStream, isWide: boolean): AsyncGenerator<Buffer> {
  const wide = new TextDecoder('utf-16le');
  let beginning = true;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (isWide) yield Buffer.from(wide.decode(chunk, { stream: true }));
      else yield beginning ? withoutMark(chunk) : chunk;
      beginning = false;
    }
  } catch (error) {
    throw new BrokenOff(
      `The rest of the file cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    stream.destroy();
  }
}
