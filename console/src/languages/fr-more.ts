import type { MoreTexts } from './en-more.ts';

export const moreTexts: MoreTexts = {
  compare: {
    title: 'Comparaison',
    end: 'Arrêter la comparaison',
    without: (name) => `Retirer ${name}`,
    hint: (most) =>
      `Choisissez ici jusqu’à ${most} espaces, tags ou liens, ou marquez des valeurs et des liens dans les listes ci-dessous.`,
    chart: (names) => `Clics au fil du temps : ${names}`,
    add: 'Ajouter une courbe',
    placeholder: 'Ajouter un espace, tag ou lien',
  },
  columns: {
    title: 'Colonnes',
    hint: 'Choisissez le contenu de chaque colonne. Les lignes sont vérifiées de nouveau.',
    name: 'Colonne',
    readsAs: (name) => `Lire ${name} comme`,
    examples: 'Exemples',
    byName: 'Reconnue à son nom',
    none: 'Ne pas importer',
    column: (at) => `Colonne ${at}`,
    fields: {
      url: 'Destination',
      alias: 'Alias',
      short_url: 'URL courte',
      title: 'Titre',
      space: 'Espace',
      tags: 'Tags',
      notes: 'Notes',
      starts_at: 'Début',
      expires_at: 'Expiration',
    },
  },
};
