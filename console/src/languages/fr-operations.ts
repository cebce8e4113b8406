import { countingIn } from '../words/plural.ts';
import type { OperationTexts } from './en-operations.ts';

const { counted: one } = countingIn('fr');

export const operationTexts: OperationTexts = {
  lead: 'Pour les développeurs : requêtes et mutations nommées, que lancent des programmes et des agents.',
  create: 'Nouvelle opération',
  edit: (name) => `Modifier ${name}`,
  none: 'Aucune opération pour le moment',
  noneYet:
    'Enregistrez un document GraphQL sous un nom : les programmes l’exécutent alors à sa propre adresse.',
  deleteTitle: (name) => `Supprimer ${name} ?`,
  deleteWarning: 'Les programmes et les agents ne pourront plus l’exécuter.',
  name: 'Nom',
  nameHint: 'Minuscules, chiffres et -',
  description: 'Description',
  descriptionHint: 'Une ligne, pour les personnes et les agents',
  document: 'Document GraphQL',
  documentHint: 'Une requête ou une mutation, avec ses variables',
  isTool: 'Les agents peuvent l’utiliser comme outil',
  kinds: { QUERY: 'Lit', MUTATION: 'Écrit' },
  tool: 'Outil',
  isBroken: 'Inutilisable',
  isDeprecated: 'Obsolète',
  broken: (reason) => `Cette version du service ne peut pas l’exécuter : ${reason}`,
  deprecated: (names) => `Elle utilise des éléments qui seront supprimés : ${names}`,
  ran: (runs, errors) =>
    `${one(runs, 'exécution', 'exécutions')}, ${one(errors, 'erreur', 'erreurs')} en 30 jours`,
  noRuns: 'Aucune exécution en 30 jours',
  use: 'Utiliser et essayer',
  path: 'Chemin',
  curl: 'Commande',
  code: 'Code pour le client typé',
  toolName: 'Nom de l’outil',
  day: 'Jour (UTC)',
  errors: 'Erreurs',
  runs: 'Exécutions',
  variables: 'Variables en JSON',
  takes: (names) => `Elle accepte ${names}.`,
  run: 'Exécuter',
  changes: 'Une exécution modifie des données.',
  answer: 'Réponse',
  notJson: 'Saisissez un objet JSON, par exemple {"first": 10}.',
};
