/** Spaces and tabs, which stand around the values of headers. Any other character is a part of the value, also one that `trim` removes. */
function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** The end of a part of a text without the blanks there. */
export function endWithoutBlanks(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(text[end - 1])) end--;
  return end;
}

/** The value of a header, or of a part of it, without the blanks around it. */
export function trimBlanks(text: string): string {
  let begin = 0;
  while (isBlank(text[begin])) begin++;
  return text.slice(begin, endWithoutBlanks(text, begin, text.length));
}
