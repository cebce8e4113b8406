import { createInterface } from 'node:readline/promises';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { printable } from '../../engine/tools/printable.ts';
import type { Io } from './command.ts';

/** True if a person can be asked. */
export function hasTerminal({ stdin, stderr }: Io): boolean {
  return stdin?.isTTY === true && 'isTTY' in stderr && stderr.isTTY === true;
}

/** Asks a person at a terminal; the answer is empty without one. */
export async function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  if (stdin === undefined) return '';
  const asking = createInterface({ input: stdin, output: stderr, terminal: false });
  const closed = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question(printable(question)), closed]);
  asking.close();
  return answer.trim();
}

export const isYes = (answer: string) => /^y(es)?$/i.test(answer);

/** The option with which a command that deletes asks nobody. */
export const yesOption = { yes: { type: 'boolean' } } as const;

/**
 * Has a person confirm what cannot be undone; `--yes` does so without a terminal.
 * @throws OperatorError if nobody does
 */
export async function confirm(
  io: Io,
  isGiven: boolean | undefined,
  question: string,
  isRight: (answer: string) => boolean,
): Promise<void> {
  if (isGiven) return;
  if (!hasTerminal(io))
    throw new OperatorError('Nothing was changed: there is no terminal to ask at. Add --yes.');
  if (!isRight(await ask(io, question))) throw new OperatorError('Nothing was changed.');
}
