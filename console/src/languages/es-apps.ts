import type { AppTexts } from './en-apps.ts';

export const appTexts: AppTexts = {
  title: (name) => `Aplicaciones de ${name}`,
  lead: 'Aplicaciones que abren los enlaces de este host en los móviles. Una por línea.',
  apple: 'iOS',
  appleHint: 'Equipo, aplicación y rutas: ABCDE12345.com.example.app /a/*, NOT /b/*. Sin rutas: todas.',
  android: 'Android',
  androidHint: 'Paquete y huellas SHA-256: com.example.app 1F:2E:…',
  line: (at, text) => `Línea ${at}: ${text}`,
};
