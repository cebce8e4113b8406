/** Replaces secrets in a stored answer that are shown only once. */
export const SHOWN_ONCE = '[shown once]';

/** The names and indexes that lead to a value in the data of an answer. */
type Path = readonly (string | number)[];

/** Empties the list at a path, if there is one. */
function emptyList(data: unknown, path: Path): void {
  let found = data;
  for (const key of path) found = Object(found)[key];
  if (Array.isArray(found)) found.length = 0;
}

/** Parts of an answer that are sent, but not stored for repeated requests. */
export class LeftOut {
  readonly #secrets = new Set<string>();
  readonly #lists: Path[] = [];

  addSecret(secret: string): void {
    this.#secrets.add(secret);
  }

  /** Adds a list, which the stored answer has without its items. */
  addList(path: Path): void {
    this.#lists.push(path);
  }

  /** Returns the body of an answer in JSON as it is stored. */
  without(body: string): string {
    let text = body;
    if (this.#lists.length > 0) {
      const answer = JSON.parse(text);
      for (const path of this.#lists) emptyList(answer.data, path);
      text = JSON.stringify(answer);
    }
    for (const secret of this.#secrets)
      text = text.replaceAll(JSON.stringify(secret), JSON.stringify(SHOWN_ONCE));
    return text;
  }
}
