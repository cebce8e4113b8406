export function isAllowed(expression: string): boolean;
