/** The time of an ISO 8601 text, in UTC; null for any other text. */
export function timeOf(text: string): Date | null {
  const time = new Date(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(text) ? `${text}Z` : text);
  if (!/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) || Number.isNaN(time.getTime())) return null;
  // JavaScript would parse February 30 as a day in March.
  return time.toISOString().startsWith(text.slice(0, 10)) ? time : null;
}
