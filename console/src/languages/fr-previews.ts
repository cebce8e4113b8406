import type { PreviewTexts } from './en-previews.ts';

export const previewTexts: PreviewTexts = {
  none: 'Celui de la destination',
  ofDestination: 'Les messageries affichent la carte de la destination.',
  hidden: 'Les messageries affichent une page de ce service, sans la destination.',
  lead: 'La carte que les messageries et les réseaux sociaux affichent à la place de celle de la destination.',
  where:
    'Affiché sur vos domaines vérifiés. Sur les domaines partagés, si votre compte est le seul ou si l’exploitant l’autorise.',
  cardTitle: 'Titre de la carte',
  cardTitleHint: 'Vide : le titre du lien.',
  description: 'Texte',
  image: 'Image',
  imageHint: 'PNG, JPEG ou WebP ; 1200 × 630 convient à tous les réseaux.',
  remove: 'Retirer l’image',
  unreadable: 'Ce fichier n’est pas une image lisible. Choisissez un PNG, JPEG ou WebP.',
  cards: 'Le résultat',
  untitled: 'Lien court',
  from: (host) => `De ${host}`,
};
