import type { Texts } from './en.ts';

export const fr: Texts = {
  messages: {
    notFound: {
      title: 'Nous n’avons pas trouvé ce lien',
      text: 'Vérifiez l’adresse, ou demandez à la personne qui vous l’a donnée.',
    },
    unreadable: {
      title: 'Cette adresse est illisible',
      text: 'Vérifiez-la, ou demandez à la personne qui vous l’a donnée.',
    },
    tooLarge: {
      title: 'Votre navigateur envoie trop de données',
      text: 'L’adresse ou les cookies de ce site sont trop longs. Supprimez les cookies, ou ouvrez le lien dans une fenêtre privée.',
    },
    disabled: {
      title: 'Ce lien est désactivé',
      text: 'Demandez-en un autre à la personne qui vous l’a donné.',
    },
    blocked: { title: 'Ce lien n’est pas disponible', text: 'Il ne mène plus nulle part.' },
    expired: { title: 'Ce lien a expiré', text: 'Demandez-en un nouveau à la personne qui vous l’a donné.' },
    password: { title: 'Saisissez le mot de passe', text: 'Ce lien est protégé par un mot de passe.' },
    statisticsPassword: {
      title: 'Saisissez le mot de passe',
      text: 'Les statistiques de ce lien sont protégées par un mot de passe.',
    },
    limited: { title: 'Trop de tentatives', text: 'Attendez une minute, puis réessayez.' },
    unavailable: { title: 'Indisponible pour le moment', text: 'Réessayez dans un instant.' },
    preview: {
      title: 'Lien court',
      text:
        'Ouvrez-le dans un navigateur pour le suivre. Il ne fonctionne qu’un nombre limité de fois : les ' +
        'programmes et les aperçus ne voient donc pas où il mène.',
    },
    moving: { title: 'Un instant', text: 'Redirection en cours.' },
  },
  wrong: 'Mot de passe incorrect. Réessayez.',
  pause: 'Après cinq mots de passe incorrects, il faut attendre une minute.',
  label: 'Mot de passe',
  submit: 'Continuer',
  help: 'Aide',
  root: 'Ce site héberge des liens courts.',
  start: {
    title: 'Liens courts',
    console: 'Ouvrir la console',
    consoleText:
      'Créez, retrouvez et modifiez des liens, et consultez leurs statistiques. Connectez-vous, ou demandez une invitation à un propriétaire de votre compte.',
    statistics: 'Voir les statistiques d’un lien',
    statisticsText:
      'Ajoutez un signe plus à la fin d’un lien court, par exemple <kbd>/sale+</kbd>. Le propriétaire du lien décide qui peut les voir.',
  },
  statistics: {
    title: 'Statistiques',
    colon: '\u202F: ',
    periods: 'Période',
    days: '{count} jours',
    clicks: 'Clics',
    visitors: 'Visiteurs',
    bots: 'Robots',
    perDay: 'Clics et visiteurs par jour',
    day: 'Jour',
    value: 'Valeur',
    share: 'Part',
    table: 'Afficher sous forme de tableau',
    nothing: 'Rien n’a été enregistré sur ces clics : les visiteurs refusent le suivi.',
    later: 'Les clics d’aujourd’hui apparaissent ici à partir du {day}.',
    running: 'jusqu’ici',
    unfinished: 'En cours',
    copy: 'Copier',
    copied: 'Copié',
    qrCode: 'QR code',
    empty: {
      title: 'Aucun clic pendant cette période',
      active: 'Partagez le lien court : un clic apparaît ici en quelques secondes.',
      disabled: 'Le lien est désactivé : les clics ne sont pas comptés.',
      earlier: 'Pour des clics plus anciens, choisissez une période plus longue.',
    },
    unknown: 'Inconnu',
    direct: 'Direct ou inconnu',
    others: 'Autres',
    unrecorded: 'Non enregistré',
    former: 'Anciennes',
    user: 'Nom d’utilisateur',
    dimensions: {
      BROWSER: 'Navigateurs',
      OS: 'Systèmes d’exploitation',
      DEVICE: 'Appareils',
      COUNTRY: 'Pays',
      LANGUAGE: 'Langues',
      REFERRER: 'Sites de provenance',
      DESTINATION: 'Destinations',
    },
    devices: { desktop: 'Ordinateur', mobile: 'Téléphone', tablet: 'Tablette', other: 'Autres appareils' },
    altText: 'Clics : {clicks}. Visiteurs : {visitors}. Le plus de clics : {most}, le {day}.',
    rounded: 'Arrondis pour protéger la vie privée : visiteurs et listes.',
    details: 'Détails',
    note:
      'Les jours sont en UTC. Un visiteur compte une fois par jour ; les visiteurs de plusieurs jours sont ' +
      'la somme des jours. Les robots ne font pas partie des clics. Les visiteurs et les listes n’incluent pas la ' +
      'journée d’aujourd’hui ; les listes, sauf pour les destinations, n’incluent pas non plus ceux qui refusent le suivi. ' +
      'Le décompte se fait environ de cinq en cinq ; le reste des listes fait partie de « Autres ». « Anciennes » désigne toutes les destinations qui ne sont pas ouvertes à tous actuellement.',
  },
};
