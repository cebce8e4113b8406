import type { PreviewTexts } from './en-previews.ts';

export const previewTexts: PreviewTexts = {
  none: 'La del destino',
  ofDestination: 'Los chats muestran la tarjeta propia del destino.',
  hidden: 'Los chats muestran una página de este servicio, sin el destino.',
  lead: 'La tarjeta que los chats y las redes sociales muestran en lugar de la del destino.',
  where:
    'Se muestra en sus dominios verificados. En los compartidos, si su cuenta es la única o el operador lo permite.',
  cardTitle: 'Título de la tarjeta',
  cardTitleHint: 'Vacío: el título del enlace.',
  description: 'Texto',
  image: 'Imagen',
  imageHint: 'PNG, JPEG o WebP; 1200 × 630 sirve para todas las redes.',
  remove: 'Quitar la imagen',
  unreadable: 'Este archivo no es una imagen legible. Elija un PNG, JPEG o WebP.',
  cards: 'Así se ve',
  untitled: 'Enlace corto',
  from: (host) => `De ${host}`,
};
