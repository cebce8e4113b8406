import { oneLine } from './one-line.ts';
import { withoutSecrets } from './secrets.ts';

/** Why a request of the operator failed, with a message for the operator; nothing was changed. */
export class OperatorError extends Error {}

/** Wrong environment variables; the message has a line for each. */
export class ConfigError extends OperatorError {}

/** The exit code for settings that are wrong: EX_CONFIG of sysexits.h. */
export const WRONG_SETTINGS = 78;

/** Values of environment variables that never become right by themselves: a service manager need not try again. */
export class InvalidSettings extends ConfigError {}

/**
 * The results of checks that do not depend on each other.
 * @throws ConfigError with the lines of all that are wrong
 */
export async function allValid<T extends readonly unknown[]>(
  checks: T,
): Promise<{ -readonly [Check in keyof T]: Awaited<T[Check]> }> {
  const faults = (await Promise.allSettled(checks)).flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof ConfigError ? [result.reason.message] : [],
  );
  if (faults.length > 0) throw new ConfigError([...new Set(faults)].join('\n'));
  return Promise.all(checks);
}

/** The value of a variable, without secrets. */
export function shown(name: string, value: string): string {
  // Who sets the variable of a file to the secret itself must not find it in the log.
  const isPath = name.endsWith('_FILE') && /^[./]/.test(value);
  if (/^(INITIAL_API_KEY|OIDC_CLIENT_SECRET)/.test(name) && !isPath)
    return `a text of ${value.length} characters`;
  // If it is not a valid URL, any part of it may be a password.
  if (
    /^(DATABASE_.*URLS?|SMTP_URL)(_FILE)?$/.test(name) &&
    !/^(file:.*|[./].*|[a-z][a-z\d+.-]*:\/\/.*@.*)$/is.test(value)
  ) {
    const [scheme = ''] = /^[a-z][a-z\d+.-]*:/i.exec(value) ?? [];
    return JSON.stringify(`${scheme}***`);
  }
  return JSON.stringify(withoutSecrets(value));
}

/** A handler that throws the error for an unusable file of a variable. */
export function unusable(
  variable: string,
  path: string | undefined,
  allowed: string,
): (error: unknown) => never {
  return (error) => {
    const reason = oneLine(error).replace(/\.$/, '');
    throw new ConfigError(
      `${variable} is ${shown(variable, path ?? '')}; it must be the path of ${allowed}: ${reason}.`,
    );
  };
}
