/** The parameters in the query of a request's target. */
export function parseParameters(target = ''): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : target.slice(at));
}
