/** The texts of previews of links, which only the form of a link loads. */
export const previewTexts = {
  none: 'That of the destination',
  ofDestination: 'Chats show the destination’s own card.',
  hidden: 'Chats show a page of this service, without the destination.',
  lead: 'The card that chats and social networks show instead of that of the destination.',
  where:
    'Works on your verified domains. On shared ones, if yours is the only account, or the operator allows it.',
  cardTitle: 'Title of the card',
  cardTitleHint: 'Empty: the title of the link.',
  description: 'Text',
  image: 'Image',
  imageHint: 'PNG, JPEG or WebP; 1200 × 630 suits all networks.',
  remove: 'Remove the image',
  unreadable: 'This file is no image that can be read. Choose a PNG, JPEG or WebP.',
  cards: 'How it looks',
  untitled: 'Short link',
  from: (host: string) => `From ${host}`,
};

export type PreviewTexts = typeof previewTexts;
