// The thread that writes visits on SQLite.
import { WRITER_SETTINGS } from '../db/sqlite/file.ts';
import { answerBy, openOwn, writableOf } from '../db/sqlite/thread.ts';
import type { Visits } from './visits.ts';
import { type Receipt, VisitWriter } from './write.ts';

const writer = new VisitWriter(writableOf(openOwn(WRITER_SETTINGS)));

answerBy(({ visits, receipt }: { visits: Visits; receipt: Receipt }) => writer.write(visits, receipt));
