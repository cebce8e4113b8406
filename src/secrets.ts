/**
 * A text that may hold URLs, without the passwords in them. A password may have any character, and ends at the last @; where
 * no user stands before it, all before the @ is taken away.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(\b[a-z][a-z\d+.-]*:\/\/)(?:([^:@/\s]*):)?.*@/gis, (_, scheme: string, user?: string) =>
      user === undefined ? `${scheme}***@` : `${scheme}${user}:***@`,
    )
    .replace(/([?&][^=&\s]*(?:password|secret|token|key)[^=&\s]*=)[^&\s,"']*/gi, '$1***');
}
