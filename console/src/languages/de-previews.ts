import type { PreviewTexts } from './en-previews.ts';

export const previewTexts: PreviewTexts = {
  none: 'Wie beim Ziel',
  ofDestination: 'Chats zeigen die eigene Karte des Ziels.',
  hidden: 'Chats zeigen eine Seite dieses Dienstes, ohne das Ziel.',
  lead: 'Die Karte, die Chats und soziale Netzwerke anstelle der Karte des Ziels zeigen.',
  where:
    'Funktioniert auf Ihren bestätigten Domains. Auf gemeinsamen, wenn Ihr Konto das einzige ist oder der Betreiber es erlaubt.',
  cardTitle: 'Titel der Karte',
  cardTitleHint: 'Leer: der Titel des Links.',
  description: 'Text',
  image: 'Bild',
  imageHint: 'PNG, JPEG oder WebP; 1200 × 630 passt für alle Netzwerke.',
  remove: 'Bild entfernen',
  unreadable: 'Diese Datei ist kein lesbares Bild. Wählen Sie PNG, JPEG oder WebP.',
  cards: 'So sieht es aus',
  untitled: 'Kurzlink',
  from: (host) => `Von ${host}`,
};
