/** An enum's values from the domain's own list of them, each with its description. */
export function describedValues<Name extends string>(descriptions: Readonly<Record<Name, string>>) {
  const values = Object.entries<string>(descriptions).map(([name, description]) => [name, { description }]);
  return Object.fromEntries(values) as Record<Name, { description: string }>; // It forgets which keys it was given.
}
