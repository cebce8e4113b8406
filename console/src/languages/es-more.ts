import type { MoreTexts } from './en-more.ts';

export const moreTexts: MoreTexts = {
  compare: {
    title: 'Comparación',
    end: 'Dejar de comparar',
    without: (name) => `Quitar ${name}`,
    hint: (most) =>
      `Elija aquí hasta ${most} espacios, etiquetas o enlaces, o marque valores y enlaces en las listas de abajo.`,
    chart: (names) => `Clics a lo largo del tiempo: ${names}`,
    add: 'Añadir una línea',
    placeholder: 'Añadir espacio, etiqueta o enlace',
  },
  columns: {
    title: 'Columnas',
    hint: 'Elija qué contiene cada columna. Las líneas se comprueban de nuevo.',
    name: 'Columna',
    readsAs: (name) => `Leer ${name} como`,
    examples: 'Ejemplos',
    byName: 'Reconocida por su nombre',
    none: 'No importar',
    column: (at) => `Columna ${at}`,
    fields: {
      url: 'Destino',
      alias: 'Alias',
      short_url: 'URL corta',
      title: 'Título',
      space: 'Espacio',
      tags: 'Etiquetas',
      notes: 'Notas',
      starts_at: 'Inicio',
      expires_at: 'Caducidad',
    },
  },
};
