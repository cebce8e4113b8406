import { once } from 'node:events';
import type { Server } from 'node:http';
import { oneLine } from '../tools/one-line.ts';
import { ConfigError, shown } from '../tools/operator-error.ts';

/** Messages about a port, by the code of the error; for any other code, the host is wrong. */
const faults: Readonly<Record<string, (variable: string, port: number, host: string) => string>> = {
  EADDRINUSE: (variable, port, host) =>
    `Port ${port} is in use: another program listens on it at ${host}. Stop that program, or set ${variable} to another port.`,
  EACCES: (variable, port) =>
    `Port ${port} may not be opened by this user. Set ${variable} to another port, such as one from 1024 on.`,
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
        ? fault(variable, port, host)
        : `HOST is ${shown('HOST', host)}; it may be a name or an address of this machine (${error.code ?? oneLine(error)}).`,
    );
  });
}
