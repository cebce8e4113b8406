import { countingIn } from '../words/plural.ts';
import type { OperationTexts } from './en-operations.ts';

const { counted: one } = countingIn('es');

export const operationTexts: OperationTexts = {
  lead: 'Para desarrolladores: consultas y mutaciones con nombre, que ejecutan programas y agentes.',
  create: 'Nueva operación',
  edit: (name) => `Editar ${name}`,
  none: 'Aún no hay operaciones',
  noneYet:
    'Guarde un documento GraphQL con un nombre: los programas lo ejecutan entonces en su propia dirección.',
  deleteTitle: (name) => `¿Eliminar ${name}?`,
  deleteWarning: 'Los programas y agentes ya no podrán ejecutarla.',
  name: 'Nombre',
  nameHint: 'Minúsculas, cifras y -',
  description: 'Descripción',
  descriptionHint: 'Una línea, para personas y agentes',
  document: 'Documento GraphQL',
  documentHint: 'Una consulta o mutación, con sus variables',
  isTool: 'Los agentes pueden usarla como herramienta',
  kinds: { QUERY: 'Lee', MUTATION: 'Escribe' },
  tool: 'Herramienta',
  isBroken: 'Inservible',
  isDeprecated: 'Obsoleta',
  broken: (reason) => `Esta versión del servicio no puede ejecutarla: ${reason}`,
  deprecated: (names) => `Usa elementos que se eliminarán: ${names}`,
  ran: (runs, errors) =>
    `${one(runs, 'ejecución', 'ejecuciones')}, ${one(errors, 'error', 'errores')} en 30 días`,
  noRuns: 'Sin ejecuciones en 30 días',
  use: 'Usar y probar',
  path: 'Ruta',
  curl: 'Comando',
  code: 'Código para el cliente tipado',
  toolName: 'Nombre de la herramienta',
  day: 'Día (UTC)',
  errors: 'Errores',
  runs: 'Ejecuciones',
  variables: 'Variables en JSON',
  takes: (names) => `Acepta ${names}.`,
  run: 'Ejecutar',
  changes: 'Una ejecución modifica datos.',
  answer: 'Respuesta',
  notJson: 'Introduzca un objeto JSON, como {"first": 10}.',
};
