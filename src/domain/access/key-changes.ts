/** How often this process created or changed a key: lists of keys from before that are outdated. */
let changes = 0;

export function noteKeyChange(): void {
  changes++;
}

export function keyChanges(): number {
  return changes;
}
