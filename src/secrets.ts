/**
 * A text that may hold URLs, without the passwords in them. A password may have any character, and ends at the last @; where
 * no user stands before it, all before the @ is taken away. Our own words for the form of a URL hold no secret.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(
      /(\b[a-z][a-z\d+.-]*:\/\/)(?!USER:PASSWORD@HOST)(?:([^:@/\s]*):)?.*@/gis,
      (_, scheme: string, user?: string) => (user === undefined ? `${scheme}***@` : `${scheme}${user}:***@`),
    )
    .replace(/([?&][^=&\s]*(?:pass|pwd|secret|token|key)[^=&\s]*=)[^&\n]*/gi, '$1***');
}
