export function describeChanges(before: string, now: string): Promise<string>;
