// Forms of v1. Its types are added when the package is made, since they follow from the service's OpenAPI document.

/** The pairs of a value in a form. An empty list and null are written as an empty value, which clears a field in an update. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (value === null || (Array.isArray(value) && value.length === 0)) return [[name, '']];
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner));
}

/**
 * Encodes the fields of a request as a form, with brackets: `{ rotation: [{ value: 'https://a.example' }] }` becomes
 * `rotation[0][value]=…`. Fields without a value are left out.
 */
export function encodeForm(fields: object = {}): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => pairsOf(name, value)));
}

/** Options of openapi-fetch with which a body is sent as a form. */
export const asForm = {
  bodySerializer: encodeForm,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
};
