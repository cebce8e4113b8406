// The thread that does long reads, and copies the log into the file.
import { rawReader } from './statements.ts';
import { answerBy, openOwn } from './thread.ts';

const readNow = rawReader(openOwn(['query_only = ON', 'temp_store = MEMORY']));

answerBy(({ sql, args }: { sql: string; args: unknown[] }) => readNow(sql, args));
