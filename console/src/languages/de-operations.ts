import { countingIn } from '../words/plural.ts';
import type { OperationTexts } from './en-operations.ts';

const { counted: one } = countingIn('de');

export const operationTexts: OperationTexts = {
  lead: 'Für Entwickler: Abfragen und Mutationen unter einem Namen, den Programme und Agenten aufrufen.',
  create: 'Neue Operation',
  edit: (name) => `${name} bearbeiten`,
  none: 'Noch keine Operationen',
  noneYet:
    'Speichern Sie ein GraphQL-Dokument unter einem Namen. Programme führen es dann unter einer eigenen Adresse aus.',
  deleteTitle: (name) => `${name} löschen?`,
  deleteWarning: 'Programme und Agenten können sie nicht mehr ausführen.',
  name: 'Name',
  nameHint: 'Kleinbuchstaben, Ziffern und -',
  description: 'Beschreibung',
  descriptionHint: 'Eine Zeile, für Menschen und Agenten',
  document: 'GraphQL-Dokument',
  documentHint: 'Eine Abfrage oder Mutation mit ihren Variablen',
  isTool: 'Agenten dürfen sie als Werkzeug nutzen',
  kinds: { QUERY: 'Liest', MUTATION: 'Schreibt' },
  tool: 'Werkzeug',
  isBroken: 'Defekt',
  isDeprecated: 'Veraltet',
  broken: (reason) => `Diese Version des Dienstes kann sie nicht ausführen: ${reason}`,
  deprecated: (names) => `Sie nutzt, was entfernt wird: ${names}`,
  ran: (runs, errors) => `${one(runs, 'Lauf', 'Läufe')}, ${one(errors, 'Fehler', 'Fehler')} in 30 Tagen`,
  noRuns: 'Keine Läufe in 30 Tagen',
  use: 'Nutzen und ausprobieren',
  path: 'Pfad',
  curl: 'Befehl',
  code: 'Code für den typisierten Client',
  toolName: 'Name des Werkzeugs',
  day: 'Tag (UTC)',
  errors: 'Fehler',
  runs: 'Läufe',
  variables: 'Variablen als JSON',
  takes: (names) => `Sie nimmt ${names}.`,
  run: 'Ausführen',
  changes: 'Ein Lauf ändert Datensätze.',
  answer: 'Antwort',
  notJson: 'Geben Sie ein JSON-Objekt ein, etwa {"first": 10}.',
};
