import { isUtf8 } from 'node:buffer';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import express, { type Request, type Response } from 'express';
import { withoutMark } from '../../shared/byte-order-mark.ts';
import { pauseIfBlocked } from '../../shared/time-slices.ts';
import { Refused, tooLarge, unreadable, unsupportedMediaType } from '../answer.ts';
import { FieldCollector, type FormFields, parseForm, parseJson, pathOf, UnreadableBody } from './form.ts';

/** The largest body, in bytes: a list of targets may take half of it. */
const MAX_BODY = 1024 * 1024;
/**
 * How many bytes of a too large body are still received, and how long a client that sends even more has to read the
 * refusal, in milliseconds, before the connection is closed.
 */
const MAX_DRAINED = 4 * 1024 * 1024;
const DRAIN_TIMEOUT = 1_000;
const readRaw = express.raw({ type: () => true, limit: MAX_BODY });

/** How many bytes are parsed before a pause for other work. */
const CHUNK_BYTES = 64 * 1024;
/** The replacement character for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

function wrongForm(): UnreadableBody {
  return new UnreadableBody('The body is not the form that its content type says.');
}

function multipartParserFor(contentType: string): BusboyInstance {
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
async function parseMultipart(body: Buffer, contentType: string): Promise<FormFields> {
  const collector = new FieldCollector();
  // Then a replacement character is the client's own.
  const isAllUtf8 = isUtf8(body);
  const parser = multipartParserFor(contentType);
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

type Parser = (body: Buffer, contentType: string) => FormFields | Promise<FormFields>;

const parsers = new Map<string, Parser>([
  ['application/x-www-form-urlencoded', (body) => parseForm(body.toString('latin1'))],
  ['multipart/form-data', parseMultipart],
  ['application/json', parseJson],
]);

/** The parser for a content type; undefined if v1 does not accept it. */
function parserFor(contentType: string): Parser | undefined {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1])
    .find(Boolean);
  return charset === undefined || charset === 'utf-8' || charset === 'utf8'
    ? parsers.get(type.trim())
    : undefined;
}

function read(req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    // Express reports the size only after the last byte.
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > MAX_BODY) reject(new Refused(tooLarge(MAX_BODY)));
      if (received <= MAX_DRAINED) return;
      req.pause();
      setTimeout(() => req.socket.destroy(), DRAIN_TIMEOUT).unref();
    });
    readRaw(req, res, (error?: { status?: number; message?: string }) => {
      if (error === undefined) return resolve();
      if (error.status === 413) return reject(new Refused(tooLarge(MAX_BODY)));
      if (error.status === 415) return reject(new Refused(unsupportedMediaType));
      reject(new Refused(unreadable('The body could not be read.')));
    });
  });
}

/**
 * The fields of a request's body; a request without a body has none.
 * @throws Refused with 413 or 415; UnreadableBody
 */
export async function readForm(req: Request, res: Response): Promise<FormFields> {
  // A chunked body may be empty.
  const isChunked = req.headers['transfer-encoding'] !== undefined;
  if (!isChunked && !(Number(req.headers['content-length'] ?? 0) > 0)) return new Map();
  const contentType = req.headers['content-type'] ?? '';
  const parse = parserFor(contentType);
  if (parse === undefined && !isChunked) throw new Refused(unsupportedMediaType);
  await read(req, res);
  if (!Buffer.isBuffer(req.body) || req.body.length === 0) return new Map();
  if (parse === undefined) throw new Refused(unsupportedMediaType);
  const body = withoutMark(req.body);
  return body.length > 0 ? parse(body, contentType) : new Map();
}
