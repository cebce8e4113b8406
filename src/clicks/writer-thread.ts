// The thread that writes visits on SQLite.
import { WRITER_SETTINGS } from '../engine/db/sqlite/file.ts';
import { answerBy, makeWritable, openOwn } from '../engine/db/sqlite/thread.ts';
import type { Visits } from './visit-counts.ts';
import { type Receipt, VisitWriter } from './visit-writer.ts';

/**
 * In bytes: the log grows beside a long reader, such as a shell, and would keep its size until the end of the process. Cutting it
 * takes long, so only this thread does it.
 */
const CUT_LOG = 'journal_size_limit = 67108864';

const writer = new VisitWriter(makeWritable(openOwn([...WRITER_SETTINGS, CUT_LOG])));

answerBy(({ visits, receipt }: { visits: Visits; receipt: Receipt }) => writer.write(visits, receipt));
