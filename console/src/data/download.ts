import { accountHeaders } from './client.ts';
import { Fault, faultOfCode } from './faults.ts';
import { saveFile } from './save-file.ts';

const LINE_END = '\n'.charCodeAt(0);

/**
 * Saves a CSV file of the service, which sends it bit by bit.
 * @param onLines is told how many lines have come
 * @throws Fault
 */
export async function download(
  accountId: string,
  body: { readonly kind: 'links' | 'statistics' } & Readonly<Record<string, unknown>>,
  { onLines, signal }: { onLines: (lines: number) => void; signal: AbortSignal },
): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let name = `${body.kind}.csv`;
  try {
    const response = await fetch('/auth/download', {
      ...{ method: 'POST', cache: 'no-store', body: JSON.stringify(body), signal },
      headers: { ...accountHeaders(accountId), 'Content-Type': 'application/json' },
    });
    if (!response.ok) {
      const { code, message } = Object(await response.json()).error ?? {};
      throw faultOfCode(code, String(message), response);
    }
    name = /filename="(.+?)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? name;
    const reader = response.body?.getReader();
    let lines = 0;
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      parts.push(part.value);
      lines += part.value.filter((byte) => byte === LINE_END).length;
      onLines(lines);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof Fault ? error : new Fault('away', String(error), 1);
  }
  saveFile(name, new Blob(parts, { type: 'text/csv' }));
}
