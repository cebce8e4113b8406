import type { MoreTexts } from './en-more.ts';

export const moreTexts: MoreTexts = {
  compare: {
    title: 'Vergleich',
    end: 'Vergleich beenden',
    without: (name) => `${name} entfernen`,
    hint: (most) =>
      `Wählen Sie hier bis zu ${most} Spaces, Tags oder Links, oder markieren Sie Werte und Links in den Listen unten.`,
    chart: (names) => `Klicks im Zeitverlauf: ${names}`,
    add: 'Linie hinzufügen',
    placeholder: 'Space, Tag oder Link hinzufügen',
  },
  columns: {
    title: 'Spalten',
    hint: 'Wählen Sie, was jede Spalte enthält. Die Zeilen werden neu geprüft.',
    name: 'Spalte',
    readsAs: (name) => `${name} lesen als`,
    examples: 'Beispiele',
    byName: 'Am Namen erkannt',
    none: 'Nicht importieren',
    column: (at) => `Spalte ${at}`,
    fields: {
      url: 'Ziel',
      alias: 'Alias',
      short_url: 'Kurzlink',
      title: 'Titel',
      space: 'Space',
      tags: 'Tags',
      notes: 'Notizen',
      starts_at: 'Beginn',
      expires_at: 'Ende',
    },
  },
};
