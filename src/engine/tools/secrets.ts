/**
 * A value or a message of others without the passwords of URLs in it. A password may have any character, and ends at the last @;
 * without a user, everything before the @ is removed. Do not use it for texts that continue after the URL.
 * Our own placeholders for the form of a URL are kept.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(
      /(\b[a-z][a-z\d+.-]*:\/\/)(?!USER:PASSWORD@HOST)(?:([^:@/\s]*):)?.*@/gis,
      (_, scheme: string, user?: string) => (user === undefined ? `${scheme}***@` : `${scheme}${user}:***@`),
    )
    .replace(/([?&][^=&\s]*(?:pass|pwd|secret|token|key)[^=&\s]*=)[^&\n]*/gi, '$1***');
}
