/** The time in which a workbook has to be read, in milliseconds. */
const MAX_TIME = 10_000;

/** The rows of a sheet as pasted lines, with tabs, and as CSV. */
export interface SheetText {
  readonly lines: string;
  readonly csv: string;
}

/**
 * The first visible sheet of an .xlsx file, which a worker reads; null if it cannot be read, is too large, or takes too long.
 * @throws Error if the worker cannot be loaded
 */
export async function readSheet(bytes: Uint8Array<ArrayBuffer>): Promise<SheetText | null> {
  if (typeof Worker === 'undefined') return null;
  const worker = new Worker(new URL('./workbook-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise((resolve, reject) => {
      setTimeout(() => resolve(null), MAX_TIME);
      worker.onmessage = ({ data }: MessageEvent<SheetText | null>) => resolve(data);
      // If there is no script, the event says nothing.
      worker.onerror = (event) => ('message' in event ? resolve(null) : reject(new Error('no worker')));
      worker.postMessage(bytes, [bytes.buffer]);
    });
  } finally {
    worker.terminate();
  }
}
