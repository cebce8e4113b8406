import { formatRow } from './csv-row.ts';
import { sheetIn } from './workbook.ts';
import type { SheetText } from './workbook-text.ts';

/** The work of `workbook-text.ts`, in a thread of its own, which may be ended. */
addEventListener('message', ({ data }: MessageEvent<Uint8Array>) => {
  const rows = sheetIn(data);
  const text: SheetText | null = rows && {
    lines: rows.map((cells) => cells.join('\t')).join('\n'),
    csv: rows.map((cells) => formatRow(cells, ',')).join('\n'),
  };
  postMessage(text);
});
