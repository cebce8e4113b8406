import { isUtf8 } from 'node:buffer';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { pauseIfBlocked } from '../../shared/time-slices.ts';
import { Refused, unsupportedMediaType } from '../answer.ts';
import { FieldCollector, type FormFields, pathOf, UnreadableBody } from './form.ts';

/** How many bytes are parsed before a pause for other work. */
const CHUNK_BYTES = 64 * 1024;
/** The replacement character for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

function wrongForm(): UnreadableBody {
  return new UnreadableBody('The body is not the form that its content type says.');
}

function parserFor(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType } });
  } catch {
    throw wrongForm();
  }
}

/**
 * The fields of a multipart/form-data body, which PHP's curl and browsers' forms may send; trimmed.
 * @throws UnreadableBody; Refused with 415 if it contains a file
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<FormFields> {
  const collector = new FieldCollector();
  // Then a replacement character is the client's own.
  const isAllUtf8 = isUtf8(body);
  const parser = parserFor(contentType);
  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('field', (name, value) => {
      try {
        if (!isAllUtf8 && value.includes(REPLACEMENT))
          throw new UnreadableBody('The fields are not in UTF-8.');
        collector.put(pathOf(name), value);
      } catch (error) {
        reject(error);
      }
    });
    parser.on('file', (_name, stream, fileName?: string) => {
      const refuse = () => reject(new Refused(unsupportedMediaType));
      // Browsers send an untouched file input as a file without name and content.
      if (fileName) refuse();
      else stream.on('data', refuse);
      stream.resume();
    });
    parser.on('error', () => reject(wrongForm()));
    parser.on('finish', resolve);
  });
  parsed.catch(() => {}); // The error is handled where it is awaited.
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    parser.write(body.subarray(at, at + CHUNK_BYTES));
    await pauseIfBlocked();
  }
  parser.end();
  await parsed;
  return collector.fields;
}
