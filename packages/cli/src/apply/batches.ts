/** The most links in a batch of the service. */
const LONGEST = 100;
/** The service takes 2 MB. */
const MAX_BYTES = 1_000_000;

/** Divides changes into batches that the service takes: few enough, and with short enough inputs. */
export function* inBatches<Change>(
  changes: readonly Change[],
  inputOf: (change: Change) => unknown,
): Generator<Change[], void> {
  let batch: Change[] = [];
  let size = 0;
  for (const change of changes) {
    const more = Buffer.byteLength(JSON.stringify(inputOf(change)));
    if (batch.length > 0 && (batch.length === LONGEST || size + more > MAX_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(change);
    size += more;
  }
  if (batch.length > 0) yield batch;
}
