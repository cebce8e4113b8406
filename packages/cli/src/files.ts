import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { CliError, EXIT, usageError } from './errors.ts';
import type { Io } from './io.ts';

/** Writes a file as a whole, or not at all. @throws CliError if the file cannot be written */
export async function writeWhole(
  file: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  const handle = await open(temporary, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be written: ${error.code}.`);
  });
  try {
    for await (const part of parts) await handle.appendFile(part);
    await handle.close();
    await rename(temporary, file);
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
}

/** Reads the whole input as a text. @throws Error if it is longer than so many bytes; CliError if it is not UTF-8 */
export async function readInput(
  { input }: Pick<Io, 'input'>,
  limit: number,
  name = 'The input',
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of input) {
    const bytes = Buffer.from(part as string | Uint8Array); // Streams without object mode give these.
    size += bytes.length;
    if (size > limit) throw new Error(`The input is longer than ${limit} bytes.`);
    parts.push(bytes);
  }
  return decodeUtf8(Buffer.concat(parts), name);
}

/** Returns the text without its byte order mark. @throws CliError with the line of the first other byte */
function decodeUtf8(bytes: Buffer, name: string): string {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return text.replace(/^\uFEFF/, '');
  const encoded = Buffer.from(text);
  const at = bytes.findIndex((byte, index) => byte !== encoded[index]);
  const line = bytes.toString('latin1', 0, at).split('\n').length;
  throw new CliError(`${name} is not a UTF-8 text, from line ${line} on: save it as UTF-8.`, EXIT.refused);
}
