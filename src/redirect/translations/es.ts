import type { Texts } from './en.ts';

export const es: Texts = {
  messages: {
    notFound: {
      title: 'No hemos encontrado este enlace',
      text: 'Compruebe que la dirección no tenga errores o pregunte a quien se la dio.',
    },
    unreadable: {
      title: 'No se puede leer esta dirección',
      text: 'Compruebe que no tenga errores o pregunte a quien se la dio.',
    },
    tooLarge: {
      title: 'Su navegador envía demasiados datos',
      text: 'La dirección o las cookies de este sitio son demasiado largas. Borre las cookies o abra el enlace en una ventana privada.',
    },
    disabled: { title: 'Este enlace está desactivado', text: 'Pida otro a quien se lo dio.' },
    blocked: { title: 'Este enlace no está disponible', text: 'Ya no lleva a ninguna parte.' },
    expired: { title: 'Este enlace ha caducado', text: 'Pida uno nuevo a quien se lo dio.' },
    password: { title: 'Introduzca la contraseña', text: 'Este enlace está protegido con una contraseña.' },
    statisticsPassword: {
      title: 'Introduzca la contraseña',
      text: 'Las estadísticas de este enlace están protegidas con una contraseña.',
    },
    limited: { title: 'Demasiados intentos', text: 'Espere un minuto y vuelva a intentarlo.' },
    unavailable: { title: 'No disponible por el momento', text: 'Vuelva a intentarlo en un momento.' },
    preview: {
      title: 'Enlace corto',
      text:
        'Ábralo en un navegador para seguirlo. ' +
        'Solo funciona un número limitado de veces, por lo que los programas y las vistas previas no ven adónde lleva.',
    },
    moving: { title: 'Un momento', text: 'Le estamos redirigiendo.' },
  },
  wrong: 'Contraseña incorrecta. Inténtelo de nuevo.',
  pause: 'Tras cinco contraseñas incorrectas, hay que esperar un minuto.',
  label: 'Contraseña',
  submit: 'Continuar',
  help: 'Ayuda',
  root: 'Este sitio aloja enlaces cortos.',
  start: {
    title: 'Enlaces cortos',
    console: 'Abrir la consola',
    consoleText:
      'Cree, busque y modifique enlaces, y consulte sus estadísticas. Inicie sesión o pida una invitación a un propietario de su cuenta.',
    statistics: 'Ver las estadísticas de un enlace',
    statisticsText:
      'Añada un signo más al final de un enlace corto, por ejemplo <kbd>/sale+</kbd>. El propietario del enlace decide quién puede verlas.',
  },
  statistics: {
    title: 'Estadísticas',
    colon: ': ',
    periods: 'Período',
    days: '{count} días',
    clicks: 'Clics',
    visitors: 'Visitantes',
    bots: 'Bots',
    perDay: 'Clics y visitantes por día',
    day: 'Día',
    value: 'Valor',
    share: 'Porcentaje',
    table: 'Mostrar como tabla',
    nothing: 'No se registró nada sobre estos clics: los visitantes rechazan el seguimiento.',
    later: 'Los clics de hoy aparecen aquí a partir del {day}.',
    running: 'hasta ahora',
    unfinished: 'En curso',
    copy: 'Copiar',
    copied: 'Copiado',
    qrCode: 'Código QR',
    empty: {
      title: 'Sin clics en este período',
      active: 'Comparta el enlace corto: el clic aparecerá aquí en unos segundos.',
      disabled: 'El enlace está desactivado: los clics no se cuentan.',
      earlier: 'Para ver clics anteriores, elija un período más largo.',
    },
    unknown: 'Desconocido',
    direct: 'Directo o desconocido',
    others: 'Otros',
    unrecorded: 'Sin registrar',
    former: 'Anteriores',
    user: 'Nombre de usuario',
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
    altText: 'Clics: {clicks}. Visitantes: {visitors}. Máximo de clics: {most}, el {day}.',
    rounded: 'Redondeados por privacidad: visitantes y listas.',
    details: 'Detalles',
    note:
      'Los días son en UTC. Cada visitante cuenta una vez al día; los visitantes de varios días son la ' +
      'suma de los días. Los bots no forman parte de los clics. Los visitantes y las listas no incluyen el día de hoy; ' +
      'las listas, salvo en los destinos, tampoco a quienes rechazan el seguimiento. Cuentan aproximadamente de cinco ' +
      'en cinco; el resto de las listas forma parte de «Otros». «Anteriores» son todos los destinos que ahora no están abiertos a todos.',
  },
};
