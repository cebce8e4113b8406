/**
 * The pieces of a text that are not blank. Of more than `max`, only one more is made: whoever gets them refuses so many.
 * @param between what separates them, with the flag `g`
 */
export function splitPieces(text: string, between: RegExp, max: number): string[] {
  const pieces: string[] = [];
  const add = (from: number, to?: number) => {
    const piece = text.slice(from, to);
    if (piece.trim() !== '') pieces.push(piece);
  };
  let from = 0;
  for (const { index, 0: separator } of text.matchAll(between)) {
    add(from, index);
    from = index + separator.length;
    if (pieces.length > max) break;
  }
  if (pieces.length <= max) add(from);
  return pieces;
}
