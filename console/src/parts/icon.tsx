import type { ReactElement } from 'react';

/** Drawn on 20 by 20, with lines of 1.6. */
const paths = {
  activity: 'M2 10h3.5l2.5-6 4 12 2.5-6H18',
  archive: 'M3 4h14v4H3zM4.5 8v8.5h11V8M8 11h4',
  back: 'M12 4l-6 6 6 6',
  calendar: 'M3.5 4.5h13v12h-13zM3.5 8.5h13M7 2.5v4M13 2.5v4',
  check: 'M4 10.5l4 4 8-9',
  close: 'M5 5l10 10M15 5L5 15',
  compare: 'M2.5 9.5l4.5-4 4 3 6.5-5M2.5 16.5l4.5-3.5 4 2 6.5-4.5',
  copy: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4',
  dark: 'M16.5 12A7 7 0 018 3.5a7 7 0 108.5 8.5z',
  domain: 'M10 2.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15zM2.5 10h15M10 2.5c5 5 5 10 0 15M10 2.5c-5 5-5 10 0 15',
  drag: 'M7.5 5v.01M12.5 5v.01M7.5 10v.01M12.5 10v.01M7.5 15v.01M12.5 15v.01',
  down: 'M5 7.5l5 5 5-5',
  download: 'M10 3v9m0 0l-3.5-3.5M10 12l3.5-3.5M3.5 13v3.5h13V13',
  duplicate: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4M12 10v4M10 12h4',
  edit: 'M3 17l1-4L13.5 3.5l3 3L7 16zM11.5 5.5l3 3',
  eye: 'M2 10s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S2 10 2 10zM10 7.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z',
  eyeOff: 'M2 10s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S2 10 2 10zM3.5 17l13-14',
  import: 'M10 12V3m0 0L6.5 6.5M10 3l3.5 3.5M3.5 13v3.5h13V13',
  key: 'M13 3.5a3.5 3.5 0 11-3.2 4.9L3 15.2V17h2.5v-2h2v-2h1.6l2-2',
  keyboard: 'M2.5 5h15v10h-15zM5.5 8h.01M8.5 8h.01M11.5 8h.01M14.5 8h.01M6.5 12h7',
  light:
    'M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.4 4.4l1 1M14.6 14.6l1 1M4.4 15.6l1-1M14.6 5.4l1-1',
  link: 'M8.5 11.5l3-3M9 6l1.7-1.7a3.3 3.3 0 014.9 4.9L14 11M11 14l-1.7 1.7a3.3 3.3 0 01-4.9-4.9L6 9',
  lock: 'M4.5 9h11v8h-11zM7 9V6.5a3 3 0 016 0V9',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  merge: 'M5 3v3c0 4 5 4 5 8v3M15 3v3c0 4-5 4-5 8M7.5 14.5L10 17l2.5-2.5',
  more: 'M4 9.6v.8M4.6 10h-1.2M10 9.6v.8M10.6 10H9.4M16 9.6v.8M16.6 10h-1.2',
  next: 'M8 4l6 6-6 6',
  open: 'M8 4H4v12h12v-4M11 3.5h5.5V9M16.5 3.5L9 11',
  operation: 'M3.5 5l5 5-5 5M10.5 15.5h6',
  overview: 'M3 17V10.5M8 17V6M13 17V9M17.5 17V3',
  people:
    'M7.5 3.5a3 3 0 100 6 3 3 0 000-6zM2 16.5c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5M13 4a2.8 2.8 0 010 5.4M15 12.4c1.8.5 3 1.8 3 4.1',
  person: 'M10 3a3.3 3.3 0 100 6.6A3.3 3.3 0 0010 3zM3.5 17c0-3.2 2.8-5 6.5-5s6.5 1.8 6.5 5',
  phone: 'M6 2.5h8v15H6zM9 14.5h2',
  pixel: 'M10 2.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15zM10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7z',
  plus: 'M10 4v12M4 10h12',
  power: 'M10 2.5v7M6 5a7 7 0 108 0',
  qr: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h2v2h-2zM16.5 12v.01M12 17v-.01M16 16h1v1h-1z',
  search: 'M9 3.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM13 13l4 4',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4a2 2 0 100 4 2 2 0 000-4zM7 12a2 2 0 100 4 2 2 0 000-4z',
  signOut: 'M8 3H3.5v14H8M13 6l4 4-4 4M17 10H7.5',
  space: 'M2.5 5h5l1.5 2h8.5v9h-15z',
  switch: 'M6 3v13m0 0l-3-3m3 3l3-3M14 17V4m0 0l-3 3m3-3l3 3',
  system: 'M2.5 4h15v9.5h-15zM7 17h6M10 13.5V17',
  tablet: 'M3.5 2.5h13v15h-13zM9 14.5h2',
  tag: 'M3 3h7l7 7-7 7-7-7zM6.5 6.5v.01',
  template: 'M3 8v4h3l7 4V4L6 8zM16 7.5c1.3 1.3 1.3 3.7 0 5M6 12v4h2.5',
  trash: 'M3.5 5.5h13M8 5V3h4v2M5 5.5l1 12h8l1-12M8.5 9v5M11.5 9v5',
  up: 'M5 12.5l5-5 5 5',
  webhook: 'M3 10a7 7 0 0112-5M17 10a7 7 0 01-12 5M15 1.5V5h-3.5M5 18.5V15h3.5',
} as const;

export type IconName = keyof typeof paths;

/** A decoration beside a text or a name. */
export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
