import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSource } from '../../src/app/cli/import-file.ts';
import { OperatorLists, parseBlockedHosts, parseReservedAliases } from '../../src/domain/link/blocklists.ts';
import { hashPassword } from '../../src/domain/password.ts';
import { createServices } from '../../src/domain/services.ts';
import { asCsv, asJson, exportAccount } from '../../src/domain/transfer/export.ts';
import { Import, type ImportOptions, type ImportReport } from '../../src/domain/transfer/import.ts';
import type { LineMessage } from '../../src/domain/transfer/report.ts';
import { NOON, type TestServer } from './server.ts';

export const exportsFolder = new URL('./exports/', import.meta.url).pathname;

interface Options extends Partial<ImportOptions> {
  /** The name of an account with a key. */
  account?: string;
  blocked?: string;
  reserved?: string;
  stopAfter?: number;
}

async function writerOf({ database }: TestServer, account: string) {
  const { id } = await database.prisma.account.findUniqueOrThrow({ where: { name: account } });
  return { accountId: id, keyId: null };
}

/** Imports a file, or a text as a file, like the command; by default our own format into the account `owner`. */
export async function importInto(
  server: TestServer,
  file: { path: string } | { text: string | Buffer },
  { account = 'owner', blocked = '', reserved = '', stopAfter, ...given }: Options = {},
): Promise<ImportReport & { told: LineMessage[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-import-'));
  const path = 'path' in file ? file.path : join(folder, 'file');
  if ('text' in file) writeFileSync(path, file.text);
  const db = server.database;
  const domain = await db.prisma.domain.findFirstOrThrow({ where: { isDefault: true } });
  const lists = new OperatorLists();
  lists.setBlockedHosts(await parseBlockedHosts(blocked));
  lists.setReservedAliases(await parseReservedAliases(reserved));
  const settings = {
    baseUrl: 'https://s.example',
    port: 3000,
    verifiesDomains: false,
    allowPrivateWebhooks: false,
  };
  const services = createServices(settings, {
    defaultDomainId: domain.id,
    lists,
    hashPassword: (owner, password) => hashPassword(owner, password, { N: 2 ** 10, r: 8, p: 1 }),
    resolveTxt: async () => [],
  });
  const told: LineMessage[] = [];
  let done = 0;
  const hooks = {
    onMessage: (one: LineMessage) => void told.push(one),
    onProgress(lines: number) {
      done = lines;
    },
    isStopped: () => stopAfter !== undefined && done >= stopAfter,
  };
  const options = { format: 'csv', mapDomain: new Map(), onTaken: 'skip', dryRun: false, ...given } as const;
  try {
    const work = new Import(db, await writerOf(server, account), services, options, hooks, NOON);
    if ((await work.start()).length > 0) throw new Error('a domain is mapped to one that is not there');
    const source = await openSource(path, options.format);
    return { ...(await work.run(source.lines)), told };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The export of the account. */
export async function exportOf(
  server: TestServer,
  format: 'csv' | 'json' = 'csv',
  account = 'owner',
): Promise<string> {
  const records = exportAccount(server.database, await writerOf(server, account), {
    scheme: 'https:',
  });
  let text = '';
  for await (const part of { csv: asCsv, json: asJson }[format](records)) text += part;
  return text;
}
