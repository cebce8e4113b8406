import { stripVTControlCharacters } from 'node:util';

/** The parts of its process that a command uses. */
export interface Io {
  /** Standard input. */
  readonly input: AsyncIterable<unknown>;
  /** True for each stream that is a terminal. */
  readonly isTerminal: { readonly input: boolean; readonly output: boolean; readonly errors: boolean };
  /** Writes to standard output, and resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Asks at the terminal, and returns the typed line. A secret is not shown. */
  ask(question: string, isSecret: boolean): Promise<string>;
  /** Opens an address in the browser. */
  openUrl(url: string): Promise<void>;
  /** Ends long commands. */
  readonly signal: AbortSignal;
}

/** Control characters, and those that change the direction of a text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;
const IN_CELLS = /\p{Cc}|\p{Bidi_Control}/gu;

/** Escapes what a terminal could take for a command. JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the text on one line, without escape codes and control characters. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/[\r\n\t]+/g, ' ')).replaceAll(IN_CELLS, '');
}
