import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Busboy } from '@fastify/busboy';
import express from 'express';
import { trimBlanks } from '../../tools/blanks.ts';
import { withoutMark } from '../../tools/byte-order-mark.ts';
import { type JsonLimits, limitOfJson } from '../../tools/json-size.ts';
import { pauseIfBlocked } from '../../tools/time-slices.ts';
import { Refused, tooLarge, unreadable, unsupportedMediaType } from '../answer.ts';

/**
 * The value of a name: text, or (by brackets or nested JSON) nested names with their values. JSON also has flags, and numbers
 * that have no exact text.
 */
export type FormValue = string | boolean | number | FormFields;
export type FormFields = Map<string, FormValue>;

export class UnreadableBody extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function notUtf8(): UnreadableBody {
  return new UnreadableBody('The fields are not in UTF-8.');
}

/** Percent signs that escape nothing are literal, as in PHP; escaped bytes that are not UTF-8 are refused. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    throw notUtf8();
  }
}

/** Rules by which forms are read. */
export interface FormRules {
  /** Maximum number of levels of a name: without a limit, a hostile body could overflow the stack. */
  readonly depth: number;
  /** Maximum number of values: each takes a few microseconds. */
  readonly values: number;
  /** True if white space around texts does not count. */
  readonly trims: boolean;
  /** The words for where the fields are, in messages. */
  readonly place?: string;
}

/** Far deeper than any field of a declared route, and more than all of its fields with full lists. */
const USUAL: FormRules = { depth: 20, values: 5_000, trims: true };
const BODY = 'The body';

function tooDeep({ place = BODY }: FormRules): UnreadableBody {
  return new UnreadableBody(`${place} is nested too deeply.`);
}

function tooManyValues({ values, place = BODY }: FormRules): UnreadableBody {
  return new UnreadableBody(`${place} has more than ${values} values.`);
}

/** Counts a character of a name before anything parses the name. @throws UnreadableBody for as many as there are levels */
function checkBrackets(name: string, bracket: string, rules: FormRules): void {
  let found = 0;
  for (let at = name.indexOf(bracket); at !== -1; at = name.indexOf(bracket, at + 1))
    if (++found >= rules.depth) throw tooDeep(rules);
}

/**
 * `country[0][key]` is the path country, 0, key; a name without well-formed brackets is a path of one part.
 * @throws UnreadableBody if it has too many brackets
 */
export function parseBrackets(name: string, rules = USUAL): string[] {
  checkBrackets(name, '[', rules);
  checkBrackets(name, ']', rules);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return [name];
  const [, head = '', brackets = ''] = match;
  return [head, ...Array.from(brackets.matchAll(/\[([^[\]]*)\]/g), ([, inner = '']) => inner)];
}

/** The most digits of a position; calculating with far longer numbers would take time. */
export const MAX_DIGITS = 100;
const POSITION = new RegExp(`^\\d{1,${MAX_DIGITS}}$`);

/** The number of a position, which clients may make of times or ids; null for an ordinary name, or too many digits. */
export function parsePosition(name: string): bigint | null {
  return POSITION.test(name) ? BigInt(name) : null;
}

/** For each list of a form, the number for the next empty bracket: one more than the largest number so far, as in PHP. */
type NextNumbers = WeakMap<FormFields, bigint>;

function takeKey(segment: string, target: FormFields, next: NextNumbers): string {
  const free = next.get(target) ?? 0n;
  const key = segment === '' ? String(free) : segment;
  const position = parsePosition(key);
  if (position !== null && position >= free) next.set(target, position + 1n);
  return key;
}

/** The fields under the key; created if there are none, or only a text. */
function nestedIn(target: FormFields, key: string): FormFields {
  const below = target.get(key);
  if (below instanceof Map) return below;
  const nested: FormFields = new Map();
  target.set(key, nested);
  return nested;
}

/** A scalar JSON value as text of a form, unless only JSON has it: a large number would not be the one that was sent. */
function toScalar(value: unknown, { trims }: FormRules): FormValue {
  if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isSafeInteger(value))) return value;
  if (value === null) return '';
  return trims ? String(value).trim() : String(value);
}

/** The lists of forms of which only an empty item was sent, without a position: `name[]=`. */
const emptyLists = new WeakSet<FormFields>();

/** True if a list was sent as `name[]=` alone. */
export function isEmptyList(list: FormFields): boolean {
  return emptyLists.has(list);
}

/** Collects values by their names, which may have brackets. */
export class FieldCollector {
  readonly fields: FormFields = new Map();
  readonly #next: NextNumbers = new WeakMap();
  readonly #rules: FormRules;
  #values = 0;

  constructor(rules = USUAL) {
    this.#rules = rules;
  }

  /**
   * Adds a value, which may be nested JSON. If a name is sent twice, the last text counts, and objects are merged.
   * @param path the parsed name
   * @throws UnreadableBody if there are too many values, or they are nested too deeply
   */
  put([name = '', ...below]: readonly string[], value: unknown): void {
    this.#count(1);
    this.#set(this.fields, name, below, value, 1);
  }

  #set(target: FormFields, key: string, below: readonly string[], value: unknown, depth: number): void {
    if (depth > this.#rules.depth) throw tooDeep(this.#rules);
    const [name, ...path] = below;
    const isNested = typeof value === 'object' && value !== null;
    if (name === undefined && !isNested) {
      target.set(key, toScalar(value, this.#rules));
      return;
    }
    const nested = nestedIn(target, key);
    if (name === '' && path.length === 0 && value === '' && nested.size === 0) emptyLists.add(nested);
    else emptyLists.delete(nested);
    const inside = name === undefined ? Object.entries(value ?? {}) : [[name, value] as const];
    if (name === undefined) this.#count(inside.length);
    for (const [inner, one] of inside)
      this.#set(nested, takeKey(inner, nested, this.#next), path, one, depth + 1);
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > this.#rules.values) throw tooManyValues(this.#rules);
  }
}

/**
 * The fields of an urlencoded form or a query string. `bytes` has one character for each byte.
 * @throws UnreadableBody
 */
export function parseForm(bytes: string, rules = USUAL): FormFields {
  const collector = new FieldCollector(rules);
  const text = Buffer.from(bytes, 'latin1');
  if (!isUtf8(text)) throw notUtf8();
  for (const pair of text.toString().split('&', rules.values + 2)) {
    if (pair === '') continue;
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    collector.put(parseBrackets(unescaped(name), rules), unescaped(value));
  }
  return collector.fields;
}

/** Limits of a body in JSON. At the last level, a list or an object may be empty. */
const JSON_LIMITS: JsonLimits = {
  levels: USUAL.depth + 1,
  separators: USUAL.values,
  names: USUAL.values,
};

/** The value of a body, whose nesting and values are counted before it is parsed. @throws UnreadableBody */
function jsonIn(body: Buffer): unknown {
  // Separators and brackets are single bytes.
  const exceeded = limitOfJson(body.toString('latin1'), JSON_LIMITS);
  if (exceeded === 'levels') throw tooDeep(USUAL);
  if (exceeded !== null) throw tooManyValues(USUAL);
  try {
    return JSON.parse(decodeUtf8(body));
  } catch {
    throw notJson();
  }
}

export const notJson = () => new UnreadableBody('The body is not valid JSON in UTF-8.');

/** The text of a body. @throws Error if it is not UTF-8 */
export function decodeUtf8(body: Buffer): string {
  return utf8.decode(body);
}

/**
 * The fields of a JSON object, like those of a form with the same names, also with brackets; null is an empty value.
 * @throws UnreadableBody
 */
export function parseJson(body: Buffer): FormFields {
  const value = jsonIn(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableBody('The body must be a JSON object.');
  const collector = new FieldCollector();
  for (const [name, inner] of Object.entries(value)) {
    const path = parseBrackets(name);
    // A list under `name[]` is the list `name` itself, not a list inside it.
    const items = path.length > 1 && path.at(-1) === '' && Array.isArray(inner) ? inner : [inner];
    for (const item of items) collector.put(path, item);
  }
  return collector.fields;
}

/** The largest body, in bytes: a list of targets may take half of it. */
const MAX_BODY = 1024 * 1024;
/**
 * Bytes of a too large body that are still received. A client that sends more gets so many milliseconds to read the
 * refusal before the connection is closed.
 */
const MAX_DRAINED = 4 * 1024 * 1024;
const DRAIN_TIMEOUT = 1_000;

/** Number of bytes parsed before a pause for other work. */
const CHUNK_BYTES = 64 * 1024;
/** The replacement character for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

function wrongForm(): UnreadableBody {
  return new UnreadableBody('The body is not the form that its content type says.');
}

/** The form of a boundary between parts, by RFC 2046. */
const BOUNDARY = /^[\w'()+,./:=? -]{1,70}$/;

/** Returns the boundary between the parts of a body. @throws UnreadableBody */
function boundaryIn(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (!BOUNDARY.test(boundary)) throw wrongForm();
  return boundary;
}

/**
 * Maximum numbers of parts of a body, of headers of a part, and of bytes of these headers. Clients send three headers.
 */
const MAX_PARTS = USUAL.values;
const MAX_PART_HEADERS = 20;
const MAX_HEADER_BYTES = 4_000;

const LINE_END = '\r\n';

/** Counts the parts of a body and their headers before a parser makes a stream for each. @throws UnreadableBody */
function checkParts(body: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`);
  const first = delimiter.subarray(LINE_END.length);
  const isFirst = body.subarray(0, first.length).equals(first);
  let from = isFirst ? first.length : findEnd(body, delimiter, 0);
  for (let parts = 1; from !== null && body.toString('latin1', from, from + 2) !== '--'; parts++) {
    if (parts > MAX_PARTS) throw new UnreadableBody(`The body has more than ${MAX_PARTS} parts.`);
    const next = findEnd(body, delimiter, from);
    checkHeaders(body.subarray(from, next ?? body.length));
    from = next;
  }
}

/** Where the next delimiter ends; null if there is none. */
function findEnd(body: Buffer, delimiter: Buffer, from: number): number | null {
  const at = body.indexOf(delimiter, from);
  return at === -1 ? null : at + delimiter.length;
}

/** @param part what follows a delimiter: each header is a line of its own, and a blank one ends them */
function checkHeaders(part: Buffer): void {
  let [headers, at] = [0, part.indexOf(LINE_END)];
  for (;;) {
    const next = at === -1 ? -1 : part.indexOf(LINE_END, at + 1);
    if (next === -1 || next === at + LINE_END.length) break;
    at = next;
    if (++headers > MAX_PART_HEADERS)
      throw new UnreadableBody(`A part of the body has more than ${MAX_PART_HEADERS} headers.`);
  }
  if (at > MAX_HEADER_BYTES)
    throw new UnreadableBody(`The headers of a part have more than ${MAX_HEADER_BYTES} bytes.`);
}

/**
 * The fields of a multipart/form-data body, which PHP's curl and browsers' forms may send.
 * @throws UnreadableBody; Refused with 415 if it contains a file
 */
async function parseMultipart(body: Buffer, contentType: string, rules: FormRules): Promise<FormFields> {
  const collector = new FieldCollector(rules);
  // Then a replacement character is the client's own.
  const isAllUtf8 = isUtf8(body);
  const boundary = boundaryIn(contentType);
  checkParts(body, boundary);
  const parser = new Busboy({ headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` } });
  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('field', (name, value) => {
      try {
        if (!isAllUtf8 && value.includes(REPLACEMENT)) throw notUtf8();
        collector.put(parseBrackets(name, rules), value);
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

type Parser = (body: Buffer, contentType: string, rules: FormRules) => FormFields | Promise<FormFields>;

export const JSON_TYPE = 'application/json';

const parsers = new Map<string, Parser>([
  ['application/x-www-form-urlencoded', (body, _type, rules) => parseForm(body.toString('latin1'), rules)],
  ['multipart/form-data', parseMultipart],
  [JSON_TYPE, parseJson],
]);

/** The media type of a content type, if bodies may have it; undefined for others. */
function acceptedType(contentType: string): string | undefined {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => /^[ \t]*charset[ \t]*=[ \t]*"?([^" \t]+)"?[ \t]*$/.exec(parameter)?.[1])
    .find(Boolean);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') return undefined;
  const name = trimBlanks(type);
  return parsers.has(name) ? name : undefined;
}

/** A request, and its body once it is received. */
type Request = IncomingMessage & { body?: unknown };

function read(req: Request, res: ServerResponse, max: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    // Express reports the size only after the last byte.
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > max) reject(new Refused(tooLarge(max)));
      if (received <= MAX_DRAINED) return;
      req.pause();
      setTimeout(() => req.socket.destroy(), DRAIN_TIMEOUT).unref();
    });
    const readRaw = express.raw({ type: () => true, limit: max });
    readRaw(req, res, (error?: { status?: number; message?: string }) => {
      if (error === undefined) return resolve();
      if (error.status === 413) return reject(new Refused(tooLarge(max)));
      if (error.status === 415) return reject(new Refused(unsupportedMediaType));
      reject(new Refused(unreadable('The body could not be read.')));
    });
  });
}

/** A body, and its media type with and without parameters. */
export interface Body {
  readonly bytes: Buffer;
  readonly type: string;
  readonly contentType: string;
}

/**
 * Receives the body of a request; null for an empty one.
 * @param max its largest size, in bytes
 * @throws Refused with 413 or 415
 */
export async function receiveBody(req: Request, res: ServerResponse, max = MAX_BODY): Promise<Body | null> {
  // A chunked body may be empty.
  const isChunked = req.headers['transfer-encoding'] !== undefined;
  if (!isChunked && !(Number(req.headers['content-length'] ?? 0) > 0)) return null;
  const contentType = req.headers['content-type'] ?? '';
  const type = acceptedType(contentType);
  if (type === undefined && !isChunked) throw new Refused(unsupportedMediaType);
  await read(req, res, max);
  if (!Buffer.isBuffer(req.body) || req.body.length === 0) return null;
  if (type === undefined) throw new Refused(unsupportedMediaType);
  const bytes = withoutMark(req.body);
  return bytes.length > 0 ? { bytes, type, contentType } : null;
}

/** The fields of a body. @throws UnreadableBody; Refused with 415 if it contains a file */
export async function parseBody({ bytes, type, contentType }: Body, rules = USUAL): Promise<FormFields> {
  return (await parsers.get(type)?.(bytes, contentType, rules)) ?? new Map();
}

/**
 * The fields of a request's body; a request without a body has none.
 * @throws Refused with 413 or 415; UnreadableBody
 */
export async function readForm(req: Request, res: ServerResponse): Promise<FormFields> {
  const body = await receiveBody(req, res);
  return body === null ? new Map() : parseBody(body);
}
