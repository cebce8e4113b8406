import type { StatisticsDimension } from '../../domain/statistics/dimension.ts';

/** The texts of a page of statistics. */
export interface StatisticsTexts {
  /** The title, before the short link. */
  readonly title: string;
  /** What stands between a name and its value. */
  readonly colon: string;
  readonly periods: string;
  days(count: string): string;
  readonly clicks: string;
  readonly visitors: string;
  readonly bots: string;
  readonly perDay: string;
  readonly day: string;
  readonly value: string;
  readonly share: string;
  readonly table: string;
  readonly nothing: string;
  /** The last day of the chart, which has not ended. */
  readonly today: string;
  readonly copy: string;
  readonly copied: string;
  readonly qrCode: string;
  /** What stands instead of the charts if there are no clicks: a title, and how to get one. */
  readonly empty: readonly [title: string, ...lines: string[]];
  readonly unknown: string;
  readonly direct: string;
  readonly others: string;
  readonly dimensions: Readonly<Record<StatisticsDimension, string>>;
  readonly devices: Readonly<Record<string, string>>;
  /** The number of destinations, if they are not shown; `count` is in bold. */
  destinations(count: string, isOne: boolean): string;
  /** The text alternative of the chart: the totals, and the maximum. */
  inWords(clicks: string, visitors: string, day: string, most: string): string;
  readonly note: string;
}

/** The same in each supported language. */
export const statisticsTexts: Readonly<Record<'en' | 'de' | 'es' | 'fr', StatisticsTexts>> = {
  en: {
    title: 'Statistics',
    colon: ': ',
    periods: 'Period',
    days: (count) => `${count} days`,
    clicks: 'Clicks',
    visitors: 'Visitors',
    bots: 'Bots',
    perDay: 'Clicks and visitors per day',
    day: 'Day',
    value: 'Value',
    share: 'Share',
    table: 'Show as table',
    nothing: 'Nothing was counted in this period.',
    today: 'today so far',
    copy: 'Copy',
    copied: 'Copied',
    qrCode: 'QR code',
    empty: [
      'No clicks in this period',
      'Open the short link in a browser, or share it: a click shows up here within seconds.',
      'Programs such as curl are counted as bots. For earlier clicks, choose a longer period.',
    ],
    unknown: 'Unknown',
    direct: 'Direct or unknown',
    others: 'Others',
    dimensions: {
      BROWSER: 'Browsers',
      OS: 'Operating systems',
      DEVICE: 'Devices',
      COUNTRY: 'Countries',
      LANGUAGE: 'Languages',
      REFERRER: 'Referring sites',
      DESTINATION: 'Destinations',
    },
    devices: { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet', other: 'Other devices' },
    destinations: (count, isOne) =>
      `This link led to ${count} ${isOne ? 'destination' : 'different destinations'}.`,
    inWords: (clicks, visitors, day, most) =>
      `Clicks: ${clicks}. Visitors: ${visitors}. Most clicks: ${most} on ${day}.`,
    note:
      'Days are in UTC. A visitor counts once a day; visitors over several days are the sum of the days. ' +
      'Bots are not part of the clicks. Values have the clicks before today, in about fives; the rest is ' +
      'part of “Others”.',
  },
  de: {
    title: 'Statistik',
    colon: ': ',
    periods: 'Zeitraum',
    days: (count) => `${count} Tage`,
    clicks: 'Klicks',
    visitors: 'Besucher',
    bots: 'Bots',
    perDay: 'Klicks und Besucher pro Tag',
    day: 'Tag',
    value: 'Wert',
    share: 'Anteil',
    table: 'Als Tabelle zeigen',
    nothing: 'In diesem Zeitraum wurde nichts gezählt.',
    today: 'heute bisher',
    copy: 'Kopieren',
    copied: 'Kopiert',
    qrCode: 'QR-Code',
    empty: [
      'Keine Klicks in diesem Zeitraum',
      'Öffnen Sie den Kurzlink in einem Browser, oder teilen Sie ihn: Ein Klick erscheint hier nach wenigen Sekunden.',
      'Programme wie curl zählen als Bots. Für frühere Klicks wählen Sie einen längeren Zeitraum.',
    ],
    unknown: 'Unbekannt',
    direct: 'Direkt oder unbekannt',
    others: 'Andere',
    dimensions: {
      BROWSER: 'Browser',
      OS: 'Betriebssysteme',
      DEVICE: 'Geräte',
      COUNTRY: 'Länder',
      LANGUAGE: 'Sprachen',
      REFERRER: 'Verweisende Seiten',
      DESTINATION: 'Ziele',
    },
    devices: { desktop: 'Computer', mobile: 'Smartphone', tablet: 'Tablet', other: 'Andere Geräte' },
    destinations: (count, isOne) =>
      isOne ? `Dieser Link führte zu ${count} Ziel.` : `Dieser Link führte zu ${count} verschiedenen Zielen.`,
    inWords: (clicks, visitors, day, most) =>
      `Klicks: ${clicks}. Besucher: ${visitors}. Die meisten Klicks: ${most} am ${day}.`,
    note:
      'Tage gelten in UTC. Ein Besucher zählt einmal am Tag; Besucher über mehrere Tage sind die Summe ' +
      'der Tage. Bots gehören nicht zu den Klicks. Werte haben die Klicks vor heute, in ungefähren Fünferschritten; ' +
      'der Rest gehört zu „Andere“.',
  },
  es: {
    title: 'Estadísticas',
    colon: ': ',
    periods: 'Período',
    days: (count) => `${count} días`,
    clicks: 'Clics',
    visitors: 'Visitantes',
    bots: 'Bots',
    perDay: 'Clics y visitantes por día',
    day: 'Día',
    value: 'Valor',
    share: 'Porcentaje',
    table: 'Mostrar como tabla',
    nothing: 'No se contó nada en este período.',
    today: 'hoy hasta ahora',
    copy: 'Copiar',
    copied: 'Copiado',
    qrCode: 'Código QR',
    empty: [
      'Sin clics en este período',
      'Abra el enlace corto en un navegador o compártalo: el clic aparecerá aquí en unos segundos.',
      'Los programas como curl cuentan como bots. Para ver clics anteriores, elija un período más largo.',
    ],
    unknown: 'Desconocido',
    direct: 'Directo o desconocido',
    others: 'Otros',
    dimensions: {
      BROWSER: 'Navegadores',
      OS: 'Sistemas operativos',
      DEVICE: 'Dispositivos',
      COUNTRY: 'Países',
      LANGUAGE: 'Idiomas',
      REFERRER: 'Sitios de procedencia',
      DESTINATION: 'Destinos',
    },
    devices: { desktop: 'Ordenador', mobile: 'Móvil', tablet: 'Tableta', other: 'Otros dispositivos' },
    destinations: (count, isOne) =>
      `Este enlace llevó a ${count} ${isOne ? 'destino' : 'destinos diferentes'}.`,
    inWords: (clicks, visitors, day, most) =>
      `Clics: ${clicks}. Visitantes: ${visitors}. Máximo de clics: ${most}, el ${day}.`,
    note:
      'Los días son en UTC. Cada visitante cuenta una vez al día; los visitantes de varios días son la ' +
      'suma de los días. Los bots no forman parte de los clics. Los valores tienen los clics anteriores ' +
      'a hoy, aproximadamente de cinco en cinco; el resto forma parte de «Otros».',
  },
  fr: {
    title: 'Statistiques',
    colon: '\u00A0: ',
    periods: 'Période',
    days: (count) => `${count} jours`,
    clicks: 'Clics',
    visitors: 'Visiteurs',
    bots: 'Robots',
    perDay: 'Clics et visiteurs par jour',
    day: 'Jour',
    value: 'Valeur',
    share: 'Part',
    table: 'Afficher sous forme de tableau',
    nothing: 'Rien n’a été compté pendant cette période.',
    today: 'aujourd’hui, jusqu’ici',
    copy: 'Copier',
    copied: 'Copié',
    qrCode: 'QR code',
    empty: [
      'Aucun clic pendant cette période',
      'Ouvrez le lien court dans un navigateur, ou partagez-le : un clic apparaît ici en quelques secondes.',
      'Les programmes comme curl comptent comme des robots. Pour des clics plus anciens, choisissez une période plus longue.',
    ],
    unknown: 'Inconnu',
    direct: 'Direct ou inconnu',
    others: 'Autres',
    dimensions: {
      BROWSER: 'Navigateurs',
      OS: 'Systèmes d’exploitation',
      DEVICE: 'Appareils',
      COUNTRY: 'Pays',
      LANGUAGE: 'Langues',
      REFERRER: 'Sites de provenance',
      DESTINATION: 'Destinations',
    },
    devices: { desktop: 'Ordinateur', mobile: 'Mobile', tablet: 'Tablette', other: 'Autres appareils' },
    destinations: (count, isOne) =>
      `Ce lien a mené à ${count} ${isOne ? 'destination' : 'destinations différentes'}.`,
    inWords: (clicks, visitors, day, most) =>
      `Clics : ${clicks}. Visiteurs : ${visitors}. Le plus de clics : ${most}, le ${day}.`,
    note:
      'Les jours sont en UTC. Un visiteur compte une fois par jour ; les visiteurs de plusieurs jours sont ' +
      'la somme des jours. Les robots ne font pas partie des clics. Les valeurs ont les clics avant aujourd’hui, ' +
      'environ de cinq en cinq ; le reste fait partie de « Autres ».',
  },
};
