import { countingIn } from '../words/plural.ts';
import type { SettingsTexts } from './en-settings.ts';

const { counted: one } = countingIn('es', (several) => `de ${several}`);

export const settingsTexts: SettingsTexts = {
  domains: {
    lead: 'Los hosts de sus enlaces cortos.',
    apps: 'Aplicaciones móviles',
    create: 'Nuevo dominio',
    edit: (name) => `Editar ${name}`,
    name: 'Host',
    nameHint: 'Por ejemplo, go.example. Al guardarlo se muestra qué añadir a su DNS.',
    renamed: 'Un host nuevo debe verificarse de nuevo.',
    notFound: 'Destino de los enlaces desconocidos',
    notFoundHint: 'Sin una URL, los visitantes leen que ese enlace no existe.',
    notFoundTo: (url) => `Los enlaces desconocidos llevan a ${url}`,
    root: 'Destino de la raíz',
    rootHint: 'Vacío: muestra una página con el nombre del host.',
    rootTo: (url) => `La raíz lleva a ${url}`,
    shared: 'Compartido',
    verified: 'Verificado',
    unverified: 'Sin verificar',
    showDns: 'Registro DNS',
    dns: (host) =>
      `Los visitantes aún no pueden abrir los enlaces de este host. Añada esto donde se gestiona el DNS de ${host}, casi siempre donde se compró el dominio.`,
    dnsTime:
      'Espere. Un registro nuevo suele verse en unos minutos, a veces en horas, y a más tardar en dos días.',
    dnsThen: 'Compruebe que está. Entonces funcionan sus enlaces en este host.',
    copyDns: 'Copiar todo',
    dnsVerified:
      'El host está verificado. Para que los visitantes lleguen aquí, su DNS necesita este registro.',
    leads: (host) => `Lleva a los visitantes al servidor de ${host}.`,
    proves: 'Demuestra que el host es suyo.',
    noCname: (host) =>
      `Si se rechaza un CNAME, porque el host no tiene subdominio, use un ALIAS o ANAME, o un registro A con la dirección IP de ${host}.`,
    noAddress: (host) =>
      `Para que los visitantes lleguen aquí, el host debe apuntar al servidor del servicio: con un registro CNAME con el nombre del servidor, o con registros A y AAAA con sus direcciones IP. El servicio está configurado como ${host}, que solo vale en su propia red: pida su nombre o sus direcciones a quien lo gestiona.`,
    dnsNotes:
      'Algunos formularios añaden el dominio al nombre: en ese caso, omítalo. Para https, el operador del servicio debe instalar un certificado para el host.',
    nextAfter: {
      TXT_RECORD:
        '¿Lo guardó hace unos minutos? Compruébelo más tarde. Si es más antiguo, compare su nombre con el de arriba.',
      TXT_OTHER: 'Corrija su valor y compruébelo en unos minutos.',
      TXT_UNREAD: 'Compruébelo más tarde.',
    },
    recordType: 'Tipo',
    recordName: 'Nombre',
    recordValue: 'Valor',
    check: 'Comprobar ahora',
    checking: 'Comprobando…',
    nowVerified: (name) => `${name} está verificado. Elíjalo ahora como dominio de un enlace nuevo.`,
    deleteTitle: (name) => `¿Eliminar el dominio ${name}?`,
    deleteWarning: 'Un dominio con enlaces no se puede eliminar.',
  },
  people: {
    lead: (account) => `Los miembros de la cuenta «${account}» y sus roles.`,
    invite: 'Invitar a alguien',
    inviteHint: 'La invitación es solo para este correo y dura 7 días.',
    isMember: (name, role) =>
      `${name} ya es miembro, con el rol ${role}: cambie el rol en la lista de miembros.`,
    makeLink: 'Invitar',
    linkMailed:
      'La invitación va de camino por correo. También puede enviar este enlace usted; no se mostrará de nuevo.',
    link: 'Enlace de invitación',
    linkWarning: 'Envíelo a la persona invitada. No se volverá a mostrar.',
    role: 'Rol',
    you: 'Usted',
    since: (day) => `desde el ${day}`,
    changeRole: 'Cambiar el rol',
    roleOf: (name) => `Rol de ${name}`,
    lowered: 'Al reducirle el rol a alguien, se cierra su sesión.',
    remove: 'Quitar',
    removeTitle: (name) => `¿Quitar a ${name} de la cuenta?`,
    removeWarning: 'Sus enlaces se conservan. Se cierra su sesión, y sus invitaciones dejan de valer.',
    leave: 'Abandonar la cuenta',
    leaveTitle: (account) => `¿Abandonar ${account}?`,
    leaveWarning: 'Sus enlaces se conservan. Se cierra su sesión, y sus invitaciones dejan de valer.',
    noKeysStop: 'Ninguna clave deja de funcionar.',
    keysStop: (count) => `${one(count, 'clave dejará', 'claves dejarán')} de funcionar de inmediato:`,
    keysUnknown: 'Espere a que se muestren las claves que dejarán de funcionar.',
    webhooksStay: (count) =>
      `${one(count, 'webhook sigue', 'webhooks siguen')} enviando los cambios de esta cuenta:`,
    disableWebhooks: 'Desactivar estos webhooks',
    invited: 'Invitaciones',
    noneInvited: 'No hay invitaciones pendientes.',
    ends: (when, isPast) => `${isPast ? 'caducó' : 'caduca'} ${when}`,
    revoke: 'Revocar',
    revokeTitle: (email) => `¿Revocar la invitación enviada a ${email}?`,
    revokeWarning: 'Su enlace dejará de funcionar.',
    settings: 'Ajustes de la cuenta',
    accountName: 'Nombre de la cuenta',
    accountNameHint: 'El que ven las personas. Los comandos del operador conservan el suyo.',
    defaultPrivacy: 'Estadísticas de los enlaces nuevos',
    defaultPrivacyHint: 'Quién las ve. Los enlaces existentes no cambian.',
  },
  webhooks: {
    madeBy: (maker, changer) =>
      `creado por ${maker ?? 'un autor desconocido'}, URL y secreto por ${changer ?? 'un autor desconocido'}`,
    lead: 'Solicitudes que avisan de los cambios a otros sistemas.',
    create: 'Nuevo webhook',
    edit: 'Editar el webhook',
    none: 'Aún no hay webhooks',
    noneYet: 'Un webhook envía cada cambio a una URL suya, firmado con un secreto.',
    url: 'URL del receptor',
    urlHint: 'Una URL https accesible desde Internet.',
    allEvents: 'Todos los eventos',
    events: 'Eventos',
    rotate: 'Nuevo secreto',
    rotateTitle: '¿Crear un nuevo secreto?',
    rotateWarning: 'El actual seguirá firmando las solicitudes durante 24 horas.',
    secret: 'El secreto del webhook',
    secretWarning:
      'Se muestra solo esta vez. Cópielo ahora y guárdelo en el receptor, que comprueba con él que las solicitudes son auténticas.',
    deliveries: 'Envíos',
    noDeliveries: 'No se ha enviado nada en los últimos 30 días. Cambie un enlace para ver aquí un envío.',
    sending: 'Se está enviando…',
    retried: 'Se volverá a enviar automáticamente.',
    answered: (status, time) => `Respuesta ${status} a las ${time}.`,
    redeliver: 'Reenviar',
    test: 'Enviar una prueba',
    delivered: (outcome) => `Entregado. ${outcome}`,
    notDelivered: (outcome) => `No entregado. ${outcome}`,
    disabledFor: {
      TOO_MANY_WAITING:
        'Desactivado: esperaban demasiados mensajes, que han fallado. Haga más rápido el receptor y active después el webhook.',
      FAILING:
        'Desactivado: todos los intentos fallaron durante cinco días. Repare el receptor y active después el webhook.',
      BY_HAND: 'Desactivado a mano: no se envía nada hasta que se active.',
    },
    notPublic: (host) =>
      `${host} es un host de una red privada: no se le envía nada, salvo que el operador de este servicio lo permita. Introduzca una URL https accesible desde Internet.`,
    refresh: 'Actualizar',
    deleteTitle: '¿Eliminar el webhook?',
    deleteWarning: (url) => `Ya no se enviará nada a ${url}, y sus envíos se perderán.`,
  },
};
