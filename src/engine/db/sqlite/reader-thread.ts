// The thread that does long reads, and copies the log into the file.
import { READER_SETTINGS } from './file.ts';
import { rawReader } from './statements.ts';
import { answerBy, openOwn } from './thread.ts';

const readNow = rawReader(openOwn(READER_SETTINGS));

answerBy(({ sql, args }: { sql: string; args: unknown[] }) => readNow(sql, args));
