import { countingIn } from '../words/plural.ts';
import type { SettingsTexts } from './en-settings.ts';

const { counted: one } = countingIn('de');

export const settingsTexts: SettingsTexts = {
  domains: {
    lead: 'Die Hosts Ihrer Kurzlinks.',
    apps: 'Apps auf Handys',
    create: 'Neue Domain',
    edit: (name) => `${name} bearbeiten`,
    name: 'Host',
    nameHint:
      'Zum Beispiel go.example. Was in den DNS-Einstellungen stehen muss, sehen Sie nach dem Speichern.',
    renamed: 'Ein neuer Host muss wieder bestätigt werden.',
    notFound: 'Unbekannte Links führen zu',
    notFoundHint: 'Ohne URL lesen Besucher, dass es den Link nicht gibt.',
    notFoundTo: (url) => `Unbekannte Links führen zu ${url}`,
    forwardsPath: 'Rest des Pfads weitergeben',
    forwardsPathHint: 'Mit einem Link guide führt /guide/a/b zu dessen Ziel mit /a/b.',
    forwardsPathNow: 'Der Rest des Pfads geht mit zum Ziel.',
    root: '„/“ leitet weiter nach',
    rootHint: 'Leer: zeigt eine Seite mit dem Namen des Hosts.',
    rootTo: (url) => `„/“ leitet weiter nach ${url}`,
    shared: 'Gemeinsam',
    verified: 'Bestätigt',
    unverified: 'Nicht bestätigt',
    none: 'Noch keine eigene Domain',
    noneYet:
      'Kurzlinks auf Ihrem eigenen Host erkennen Besucher wieder. Sie brauchen Zugang zu seinen DNS-Einstellungen.',
    dnsAhead:
      'Das tragen Sie beim DNS-Anbieter ein. Ein TXT-Eintrag, der beweist, dass der Host Ihnen gehört, folgt nach dem Speichern.',
    showDns: 'DNS-Eintrag',
    dns: (host) =>
      `Besucher erreichen die Links dieses Hosts noch nicht. Tragen Sie dies dort ein, wo das DNS von ${host} verwaltet wird, meist beim Anbieter der Domain.`,
    dnsTime:
      'Warten Sie. Ein neuer Eintrag ist oft nach Minuten sichtbar, manchmal nach Stunden, spätestens nach zwei Tagen.',
    dnsThen: 'Prüfen Sie, ob er da ist. Danach funktionieren Ihre Links.',
    copyDns: 'Alles kopieren',
    dnsVerified: 'Der Host ist bestätigt. Damit Besucher hierher gelangen, braucht sein DNS diesen Eintrag.',
    leads: (host) => `Führt Besucher zu dem Server, auf dem ${host} läuft.`,
    proves: 'Beweist, dass der Host Ihnen gehört.',
    noCname: (host) =>
      `Wird ein CNAME abgelehnt, weil der Host keine Subdomain ist, nehmen Sie einen ALIAS oder ANAME oder einen A-Eintrag mit der IP-Adresse von ${host}.`,
    noAddress: (host) =>
      `Damit Besucher hierher kommen, muss der Host zum Server des Dienstes führen: mit einem CNAME-Eintrag auf dessen Namen oder mit A- und AAAA-Einträgen auf dessen IP-Adressen. Der Dienst ist als ${host} eingerichtet, was nur in seinem eigenen Netz gilt: Fragen Sie den Betreiber nach Name oder Adressen.`,
    dnsNotes:
      'Manche Formulare hängen die Domain an den Namen an: Lassen Sie sie dann weg. Für https muss der Betreiber des Dienstes ein Zertifikat für den Host einrichten.',
    nextAfter: {
      TXT_RECORD:
        'Ist er erst seit Minuten gespeichert? Prüfen Sie später noch einmal. Ist er älter, vergleichen Sie seinen Namen mit dem obigen.',
      TXT_OTHER: 'Korrigieren Sie den Wert, und prüfen Sie in einigen Minuten noch einmal.',
      TXT_UNREAD: 'Prüfen Sie später noch einmal.',
    },
    recordType: 'Typ',
    recordName: 'Name',
    recordValue: 'Wert',
    check: 'Jetzt prüfen',
    checking: 'Wird geprüft …',
    nowVerified: (name) => `${name} ist bestätigt. Wählen Sie den Host jetzt als Domain eines neuen Links.`,
    deleteTitle: (name) => `Domain ${name} löschen?`,
    deleteWarning: 'Eine Domain mit Links lässt sich nicht löschen.',
  },
  apps: {
    title: (name) => `Apps von ${name}`,
    lead: 'Apps, die Links dieses Hosts auf Handys öffnen. Eine App je Zeile.',
    apple: 'iOS',
    appleHint: 'Team-ID, Bundle-ID und Pfade: ABCDE12345.com.example.app /a/*, NOT /b/*. Ohne Pfade: alle.',
    android: 'Android',
    androidHint: 'Paketname und SHA-256-Fingerabdrücke: com.example.app 1F:2E:…',
    line: (at, text) => `Zeile ${at}: ${text}`,
  },
  people: {
    lead: (account) => `Die Mitglieder des Kontos „${account}“ und ihre Rollen.`,
    invite: 'Person einladen',
    inviteHint: 'Die Einladung gilt für diese Adresse, 7 Tage lang.',
    isMember: (name, role) =>
      `${name} ist schon Mitglied, als ${role}: Ändern Sie die Rolle in der Liste der Personen.`,
    makeLink: 'Einladen',
    linkMailed:
      'Die Einladung ist per E-Mail unterwegs. Sie können diesen Link auch selbst senden; er wird nicht noch einmal angezeigt.',
    link: 'Einladungslink',
    linkWarning: 'Senden Sie ihn der Person, die Sie eingeladen haben. Er wird nicht noch einmal angezeigt.',
    role: 'Rolle',
    you: 'Sie',
    since: (day) => `seit ${day}`,
    changeRole: 'Rolle ändern',
    roleOf: (name) => `Rolle von ${name}`,
    lowered: 'Wer eine niedrigere Rolle bekommt, wird abgemeldet.',
    remove: 'Entfernen',
    removeTitle: (name) => `${name} aus dem Konto entfernen?`,
    removeWarning: 'Die Links der Person bleiben. Sie wird abgemeldet, und ihre Einladungen verfallen.',
    leave: 'Konto verlassen',
    leaveTitle: (account) => `${account} verlassen?`,
    leaveWarning: 'Ihre Links bleiben. Sie werden abgemeldet, und Ihre Einladungen verfallen.',
    noKeysStop: 'Alle Schlüssel funktionieren weiter.',
    keysStop: (count) =>
      `${one(count, 'Schlüssel funktioniert', 'Schlüssel funktionieren')} sofort nicht mehr:`,
    keysUnknown: 'Warten Sie, bis die betroffenen Schlüssel aufgeführt sind.',
    webhooksStay: (count) =>
      `${one(count, 'Webhook sendet', 'Webhooks senden')} weiterhin Änderungen dieses Kontos:`,
    disableWebhooks: 'Diese Webhooks deaktivieren',
    invited: 'Eingeladen',
    noneInvited: 'Keine offenen Einladungen',
    ends: (when, isPast) => (isPast ? `ist ${when} abgelaufen` : `läuft ${when} ab`),
    revoke: 'Widerrufen',
    revokeTitle: (email) => `Einladung für ${email} widerrufen?`,
    revokeWarning: 'Ihr Link funktioniert dann nicht mehr.',
    settings: 'Kontoeinstellungen',
    accountName: 'Name des Kontos',
    accountNameHint: 'So sehen ihn alle. Die Befehle des Betreibers behalten ihren eigenen Namen dafür.',
    defaultPrivacy: 'Statistik neuer Links',
    defaultPrivacyHint: 'Wer sie sieht. Bestehende Links bleiben, wie sie sind.',
  },
  webhooks: {
    madeBy: (maker, changer) =>
      `erstellt von ${maker ?? 'unbekannt'}, URL und Geheimnis von ${changer ?? 'unbekannt'}`,
    lead: 'Anfragen, die anderen Systemen Änderungen melden.',
    create: 'Neuer Webhook',
    edit: 'Webhook bearbeiten',
    none: 'Noch keine Webhooks',
    noneYet: 'Ein Webhook sendet jede Änderung an eine URL von Ihnen, signiert mit einem Geheimnis.',
    url: 'URL des Empfängers',
    urlHint: 'Eine https-URL, die aus dem Internet erreichbar ist.',
    receives: 'Was der Empfänger bekommt',
    receivesHint:
      'Ein POST je Änderung, nach etwa einer Sekunde. Der Empfänger prüft die Signatur mit dem Geheimnis und antwortet innerhalb von 10 Sekunden mit 200 bis 299.',
    tested: 'Der Test, wie er gesendet wird',
    allEvents: 'Alle Ereignisse',
    events: 'Ereignisse',
    rotate: 'Neues Geheimnis',
    rotateTitle: 'Neues Geheimnis erstellen?',
    rotateWarning: 'Das bisherige signiert Anfragen noch 24 Stunden lang mit.',
    secret: 'Das Geheimnis des Webhooks',
    secretWarning:
      'Es wird nur dieses eine Mal angezeigt. Kopieren Sie es jetzt, und hinterlegen Sie es beim Empfänger, der damit die Echtheit der Anfragen prüft.',
    deliveries: 'Zustellungen',
    noDeliveries:
      'In den letzten 30 Tagen wurde nichts gesendet. Ändern Sie einen Link, um hier eine Zustellung zu sehen.',
    sending: 'Wird gesendet …',
    retried: 'Es wird von selbst noch einmal gesendet.',
    answered: (code, time) => `Antwort ${code} um ${time}.`,
    redeliver: 'Erneut senden',
    test: 'Test senden',
    delivered: (outcome) => `Zugestellt. ${outcome}`,
    notDelivered: (outcome) => `Nicht zugestellt. ${outcome}`,
    disabledFor: {
      TOO_MANY_WAITING:
        'Abgeschaltet: Zu viele Nachrichten haben gewartet und sind fehlgeschlagen. Machen Sie den Empfänger schneller, und schalten Sie den Webhook dann ein.',
      FAILING:
        'Abgeschaltet: Fünf Tage lang ist jeder Versuch fehlgeschlagen. Reparieren Sie den Empfänger, und schalten Sie den Webhook dann ein.',
      BY_HAND: 'Von Hand abgeschaltet: Bis er eingeschaltet wird, wird nichts gesendet.',
    },
    notPublic: (host) =>
      `${host} ist ein Host in einem privaten Netz: Dorthin wird nichts zugestellt, außer der Betreiber dieses Dienstes erlaubt es. Geben Sie eine https-URL ein, die aus dem Internet erreichbar ist.`,
    refresh: 'Aktualisieren',
    deleteTitle: 'Webhook löschen?',
    deleteWarning: (url) => `An ${url} wird nichts mehr gesendet, und die Zustellungen gehen verloren.`,
  },
};
