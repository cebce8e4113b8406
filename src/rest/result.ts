/** The record in a mutation's result: errors are thrown, since v1 runs its documents with `runOwn`. */
export function recordOf<Result extends { __typename: string }>(
  result: Result,
): Exclude<Result, { __typename: `${string}Error` }> {
  return result as Exclude<Result, { __typename: `${string}Error` }>; // See above.
}
