import { once } from 'node:events';
import type { Server } from 'node:http';
import { ConfigError, shown } from '../config.ts';
import { oneLine } from '../shared/one-line.ts';

/** What is wrong with a variable, by the code of the error; HOST for all others. */
const faults: Readonly<Record<string, (host: string) => string>> = {
  EADDRINUSE: (host) => `another port, since a program listens on this one at ${host} already`,
  EACCES: () => 'a port that this user may open, such as one from 1024 on',
};

/**
 * Opens the port that a variable names.
 * @throws ConfigError for a port or host that cannot be used
 */
export async function listen(
  server: Server,
  variable: 'PORT' | 'METRICS_PORT',
  port: number,
  host: string,
): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const fault = faults[error.code ?? ''];
    throw new ConfigError(
      fault
        ? `${variable} is "${port}"; it may be ${fault(host)}.`
        : `HOST is ${shown('HOST', host)}; it may be a name or an address of this machine (${error.code ?? oneLine(error)}).`,
    );
  });
}
