/** The values of an enum with their descriptions, from the domain's table. */
export function describedValues<Name extends string>(descriptions: Readonly<Record<Name, string>>) {
  const values = Object.entries<string>(descriptions).map(([name, description]) => [name, { description }]);
  return Object.fromEntries(values) as Record<Name, { description: string }>; // Object.fromEntries loses the type of the keys.
}
