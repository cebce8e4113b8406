import { countingIn } from '../words/plural.ts';

const { counted: one } = countingIn('en');

export const operationTexts = {
  lead: 'For developers: queries and mutations under a name, which programs and agents run.',
  create: 'New operation',
  edit: (name: string) => `Edit ${name}`,
  none: 'No operations yet',
  noneYet: 'Save a GraphQL document under a name, and programs can run it at its own address.',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteWarning: 'Programs and agents can no longer run it.',
  name: 'Name',
  nameHint: 'Small letters, digits and -',
  description: 'Description',
  descriptionHint: 'One line, for people and agents',
  document: 'GraphQL document',
  documentHint: 'One query or mutation, with its variables',
  isTool: 'Agents may use it as a tool',
  kinds: { QUERY: 'Reads', MUTATION: 'Writes' } as Readonly<Partial<Record<string, string>>>,
  tool: 'Tool',
  isBroken: 'Broken',
  isDeprecated: 'Deprecated',
  broken: (reason: string) => `This version of the service cannot run it: ${reason}`,
  deprecated: (names: string) => `It uses what will be removed: ${names}`,
  ran: (runs: number, errors: number) =>
    `${one(runs, 'run', 'runs')}, ${one(errors, 'error', 'errors')} in 30 days`,
  noRuns: 'No runs in 30 days',
  use: 'Use and try',
  path: 'Path',
  curl: 'Command',
  code: 'Code for the typed client',
  toolName: 'Name of the tool',
  day: 'Day (UTC)',
  errors: 'Errors',
  runs: 'Runs',
  variables: 'Variables as JSON',
  takes: (names: string) => `It takes ${names}.`,
  run: 'Run',
  changes: 'Running it changes records.',
  answer: 'Answer',
  notJson: 'Enter a JSON object, such as {"first": 10}.',
};

export type OperationTexts = typeof operationTexts;
