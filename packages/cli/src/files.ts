import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { usageError } from './errors.ts';

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
