/** Whether a write failed because a value that must be unique is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'P2002';
}

/** Whether a write failed because what it refers to is not there, or what it would delete is still referred to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'P2003';
}

/** Whether a write failed because the record to change is not there. */
export function isMissingRecord(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'P2025';
}
