import { countingIn } from '../words/plural.ts';
import type { SettingsTexts } from './en-settings.ts';

const { counted: one } = countingIn('fr', (several) => `de ${several}`);

export const settingsTexts: SettingsTexts = {
  domains: {
    lead: 'Les hôtes de vos liens courts.',
    apps: 'Applications mobiles',
    create: 'Nouveau domaine',
    edit: (name) => `Modifier ${name}`,
    name: 'Hôte',
    nameHint: 'Par exemple go.example. Ce qu’il faut ajouter à son DNS s’affiche après l’enregistrement.',
    renamed: 'Un nouvel hôte doit être vérifié à nouveau.',
    notFound: 'Destination des liens inconnus',
    notFoundHint: 'Sans URL, les visiteurs lisent que ce lien n’existe pas.',
    notFoundTo: (url) => `Les liens inconnus mènent à ${url}`,
    forwardsPath: 'Transmettre la suite du chemin',
    forwardsPathHint: 'Avec un lien guide, /guide/a/b mène à sa destination avec /a/b.',
    forwardsPathNow: 'La suite du chemin passe à la destination.',
    root: 'Destination de la racine',
    rootHint: 'Vide : affiche une page avec le nom de l’hôte.',
    rootTo: (url) => `La racine mène à ${url}`,
    shared: 'Partagé',
    verified: 'Vérifié',
    unverified: 'Non vérifié',
    none: 'Aucun domaine à vous pour le moment',
    noneYet:
      'Les visiteurs reconnaissent les liens courts sur votre propre hôte. Il vous faut l’accès à son DNS.',
    dnsAhead:
      'À ajouter chez votre fournisseur DNS. Un enregistrement TXT, qui prouve que l’hôte est à vous, suit après l’enregistrement.',
    showDns: 'Enregistrement DNS',
    dns: (host) =>
      `Les visiteurs n’ont pas encore accès aux liens de cet hôte. Ajoutez ceci là où le DNS de ${host} est géré, le plus souvent chez le vendeur du domaine.`,
    dnsTime:
      'Attendez. Un nouvel enregistrement est souvent visible après quelques minutes, parfois quelques heures, deux jours au plus tard.',
    dnsThen: 'Vérifiez qu’il est là. Vos liens sur cet hôte fonctionnent alors.',
    copyDns: 'Tout copier',
    dnsVerified:
      'L’hôte est vérifié. Pour que les visiteurs arrivent ici, son DNS a besoin de cet enregistrement.',
    leads: (host) => `Mène les visiteurs au serveur de ${host}.`,
    proves: 'Prouve que l’hôte est à vous.',
    noCname: (host) =>
      `Si un CNAME est refusé, parce que l’hôte n’a pas de sous-domaine, utilisez un ALIAS ou un ANAME, ou un enregistrement A avec l’adresse IP de ${host}.`,
    noAddress: (host) =>
      `Pour que les visiteurs arrivent ici, l’hôte doit pointer vers le serveur du service : par un enregistrement CNAME avec le nom du serveur, ou par des enregistrements A et AAAA avec ses adresses IP. Le service est configuré comme ${host}, ce qui ne vaut que dans son propre réseau : demandez son nom ou ses adresses à la personne qui l’exploite.`,
    dnsNotes:
      'Certains formulaires ajoutent le domaine au nom : dans ce cas, omettez-le. Pour https, l’exploitant du service doit installer un certificat pour l’hôte.',
    nextAfter: {
      TXT_RECORD:
        'Vient-il d’être enregistré ? Vérifiez plus tard. S’il est plus ancien, comparez son nom avec celui ci-dessus.',
      TXT_OTHER: 'Corrigez sa valeur, et vérifiez de nouveau dans quelques minutes.',
      TXT_UNREAD: 'Vérifiez plus tard.',
    },
    recordType: 'Type',
    recordName: 'Nom',
    recordValue: 'Valeur',
    check: 'Vérifier maintenant',
    checking: 'Vérification…',
    nowVerified: (name) => `${name} est vérifié. Choisissez-le maintenant comme domaine d’un nouveau lien.`,
    deleteTitle: (name) => `Supprimer le domaine ${name} ?`,
    deleteWarning: 'Un domaine qui a des liens ne peut pas être supprimé.',
  },
  apps: {
    title: (name) => `Applications de ${name}`,
    lead: 'Applications qui ouvrent les liens de cet hôte sur mobile. Une par ligne.',
    apple: 'iOS',
    appleHint:
      'Équipe, application et chemins : ABCDE12345.com.example.app /a/*, NOT /b/*. Sans chemin : tous.',
    android: 'Android',
    androidHint: 'Paquet et empreintes SHA-256 : com.example.app 1F:2E:…',
    line: (at, text) => `Ligne ${at} : ${text}`,
  },
  people: {
    lead: (account) => `Les membres du compte « ${account} » et leurs rôles.`,
    invite: 'Inviter quelqu’un',
    inviteHint: 'L’invitation est réservée à cette adresse, et valable 7 jours.',
    isMember: (name, role) =>
      `${name} est déjà membre, avec le rôle ${role} : changez ce rôle dans la liste des membres.`,
    makeLink: 'Inviter',
    linkMailed:
      'L’invitation part par e-mail. Vous pouvez aussi envoyer ce lien vous-même ; il ne sera plus affiché.',
    link: 'Lien d’invitation',
    linkWarning: 'Envoyez-le à la personne invitée. Il ne sera plus affiché.',
    role: 'Rôle',
    you: 'Vous',
    since: (day) => `depuis le ${day}`,
    changeRole: 'Changer le rôle',
    roleOf: (name) => `Rôle : ${name}`,
    lowered: 'Une personne dont le rôle est réduit doit se reconnecter.',
    remove: 'Retirer',
    removeTitle: (name) => `Retirer ${name} du compte ?`,
    removeWarning: 'Ses liens restent. Ses sessions sont fermées, et ses invitations prennent fin.',
    leave: 'Quitter le compte',
    leaveTitle: (account) => `Quitter ${account} ?`,
    leaveWarning: 'Vos liens restent. Vos sessions sont fermées, et vos invitations prennent fin.',
    noKeysStop: 'Aucune clé ne cesse de fonctionner.',
    keysStop: (count) => `${one(count, 'clé cessera', 'clés cesseront')} aussitôt de fonctionner :`,
    keysUnknown: 'Attendez que la liste des clés concernées s’affiche.',
    webhooksStay: (count) =>
      `${one(count, 'webhook continue', 'webhooks continuent')} d’envoyer les modifications de ce compte :`,
    disableWebhooks: 'Désactiver ces webhooks',
    invited: 'Invitations',
    noneInvited: 'Aucune invitation en attente.',
    ends: (when, isPast) => `${isPast ? 'a expiré' : 'expire'} ${when}`,
    revoke: 'Révoquer',
    revokeTitle: (email) => `Révoquer l’invitation envoyée à ${email} ?`,
    revokeWarning: 'Son lien ne fonctionnera plus.',
    settings: 'Réglages du compte',
    accountName: 'Nom du compte',
    accountNameHint: 'Le nom affiché. Les commandes de l’exploitant gardent le leur.',
    defaultPrivacy: 'Statistiques des nouveaux liens',
    defaultPrivacyHint: 'Qui les voit. Les liens existants ne changent pas.',
  },
  webhooks: {
    madeBy: (maker, changer) =>
      `créé par ${maker ?? 'un auteur inconnu'}, URL et secret par ${changer ?? 'un auteur inconnu'}`,
    lead: 'Des requêtes qui préviennent d’autres systèmes des modifications.',
    create: 'Nouveau webhook',
    edit: 'Modifier le webhook',
    none: 'Aucun webhook pour le moment',
    noneYet: 'Un webhook envoie chaque modification à une URL à vous, signée avec un secret.',
    url: 'URL du destinataire',
    urlHint: 'Une URL https accessible depuis Internet.',
    receives: 'Ce que reçoit le destinataire',
    receivesHint:
      'Un POST par modification, en une seconde environ. Le destinataire vérifie la signature avec le secret et répond entre 200 et 299 en moins de 10 secondes.',
    tested: 'Le test, tel qu’il est envoyé',
    allEvents: 'Tous les événements',
    events: 'Événements',
    rotate: 'Nouveau secret',
    rotateTitle: 'Créer un nouveau secret ?',
    rotateWarning: 'L’actuel signe encore les requêtes pendant 24 heures.',
    secret: 'Le secret du webhook',
    secretWarning:
      'Il n’est affiché que cette fois-ci. Copiez-le maintenant, et enregistrez-le chez le destinataire, qui s’en sert pour vérifier que les requêtes sont authentiques.',
    deliveries: 'Envois',
    noDeliveries: 'Rien n’a été envoyé ces 30 derniers jours. Modifiez un lien pour voir un envoi ici.',
    sending: 'Envoi en cours…',
    retried: 'Un nouvel essai se fait tout seul.',
    answered: (status, time) => `Réponse ${status} à ${time}.`,
    redeliver: 'Renvoyer',
    test: 'Envoyer un test',
    delivered: (outcome) => `Envoi arrivé. ${outcome}`,
    notDelivered: (outcome) => `Envoi non arrivé. ${outcome}`,
    disabledFor: {
      TOO_MANY_WAITING:
        'Désactivé : trop de messages attendaient, et ils ont échoué. Rendez le destinataire plus rapide, puis activez le webhook.',
      FAILING:
        'Désactivé : toutes les tentatives ont échoué pendant cinq jours. Réparez le destinataire, puis activez le webhook.',
      BY_HAND: 'Désactivé à la main : rien n’est envoyé tant qu’il n’est pas activé.',
    },
    notPublic: (host) =>
      `${host} est un hôte d’un réseau privé : rien n’y est envoyé, sauf si l’exploitant de ce service l’autorise. Saisissez une URL https accessible depuis Internet.`,
    refresh: 'Actualiser',
    deleteTitle: 'Supprimer le webhook ?',
    deleteWarning: (url) => `Plus rien n’est envoyé à ${url}, et ses envois sont perdus.`,
  },
};
