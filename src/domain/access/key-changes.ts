/** How often this process made or changed a key: what it knows of keys from before is not all there is to know. */
let changes = 0;

export function noteKeyChange(): void {
  changes++;
}

export function keyChanges(): number {
  return changes;
}
