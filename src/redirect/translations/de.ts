import type { Texts } from './en.ts';

export const de: Texts = {
  messages: {
    notFound: {
      title: 'Wir haben diesen Link nicht gefunden',
      text: 'Prüfen Sie die Adresse auf Tippfehler, oder fragen Sie dort nach, wo Sie den Link bekommen haben.',
    },
    unreadable: {
      title: 'Diese Adresse ist nicht lesbar',
      text: 'Prüfen Sie sie auf Tippfehler, oder fragen Sie dort nach, wo Sie sie bekommen haben.',
    },
    tooLarge: {
      title: 'Ihr Browser sendet zu viel',
      text: 'Die Adresse oder die Cookies dieser Seite sind zu lang. Löschen Sie die Cookies, oder öffnen Sie den Link in einem privaten Fenster.',
    },
    disabled: {
      title: 'Dieser Link ist abgeschaltet',
      text: 'Fragen Sie dort, wo Sie ihn bekommen haben, nach einem anderen.',
    },
    blocked: { title: 'Dieser Link ist nicht verfügbar', text: 'Er führt nirgendwo mehr hin.' },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Fragen Sie dort, wo Sie ihn bekommen haben, nach einem neuen.',
    },
    password: { title: 'Passwort eingeben', text: 'Dieser Link ist durch ein Passwort geschützt.' },
    statisticsPassword: {
      title: 'Passwort eingeben',
      text: 'Die Statistik dieses Links ist durch ein Passwort geschützt.',
    },
    limited: {
      title: 'Zu viele Versuche',
      text: 'Warten Sie eine Minute, und versuchen Sie es dann erneut.',
    },
    unavailable: { title: 'Vorübergehend nicht erreichbar', text: 'Versuchen Sie es gleich noch einmal.' },
    preview: {
      title: 'Kurzlink',
      text:
        'Öffnen Sie ihn in einem Browser, um ihm zu folgen. ' +
        'Er funktioniert nur einige Male; darum erfahren Programme und Vorschauen sein Ziel nicht.',
    },
    moving: { title: 'Einen Augenblick', text: 'Sie werden weitergeleitet.' },
  },
  wrong: 'Falsches Passwort. Versuchen Sie es erneut.',
  pause: 'Nach fünf falschen Passwörtern müssen Sie eine Minute warten.',
  label: 'Passwort',
  submit: 'Weiter',
  help: 'Hilfe',
  root: 'Unter dieser Adresse gibt es Kurzlinks.',
  start: {
    title: 'Kurzlinks',
    console: 'Konsole öffnen',
    consoleText:
      'Links erstellen, finden und ändern, und ihre Statistik sehen. Melden Sie sich an, oder bitten Sie einen Inhaber Ihres Kontos um eine Einladung.',
    statistics: 'Die Statistik eines Links sehen',
    statisticsText:
      'Hängen Sie ein Pluszeichen an einen Kurzlink, zum Beispiel <kbd>/sale+</kbd>. Wer sie sehen darf, legt der Besitzer des Links fest.',
  },
  statistics: {
    title: 'Statistik',
    colon: ': ',
    periods: 'Zeitraum',
    days: '{count} Tage',
    clicks: 'Klicks',
    visitors: 'Besucher',
    bots: 'Bots',
    perDay: 'Klicks und Besucher pro Tag',
    day: 'Tag',
    value: 'Wert',
    share: 'Anteil',
    table: 'Als Tabelle zeigen',
    nothing: 'Zu diesen Klicks wurde nichts erfasst: Die Besucher lehnen Tracking ab.',
    later: 'Die Klicks von heute erscheinen hier ab {day}.',
    running: 'bisher',
    unfinished: 'Heute, bisher',
    copy: 'Kopieren',
    copied: 'Kopiert',
    qrCode: 'QR-Code',
    empty: {
      title: 'Keine Klicks in diesem Zeitraum',
      active: 'Teilen Sie den Kurzlink: Ein Klick erscheint hier nach wenigen Sekunden.',
      disabled: 'Der Link ist abgeschaltet: Klicks werden nicht gezählt.',
      earlier: 'Für frühere Klicks wählen Sie einen längeren Zeitraum.',
    },
    unknown: 'Unbekannt',
    direct: 'Direkt oder unbekannt',
    others: 'Andere',
    unrecorded: 'Nicht erfasst',
    former: 'Frühere',
    user: 'Benutzername',
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
    altText: 'Klicks: {clicks}. Besucher: {visitors}. Die meisten Klicks: {most} am {day}.',
    rounded: 'Zum Schutz der Besucher gerundet: Besucher und Listen.',
    details: 'Details',
    note:
      'Tage gelten in UTC. Ein Besucher zählt einmal am Tag; Besucher über mehrere Tage sind die Summe ' +
      'der Tage. Bots gehören nicht zu den Klicks. Besucher und Listen enthalten nicht den heutigen Tag, und die ' +
      'Listen, außer bei Zielen, keine Besucher, die Tracking ablehnen. Sie zählen in ungefähren Fünferschritten; der Rest ' +
      'der Listen gehört zu „Andere“. „Frühere“ sind alle Ziele, die jetzt nicht allen offenstehen.',
  },
};
