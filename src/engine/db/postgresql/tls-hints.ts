import { oneLine } from '../../tools/one-line.ts';
import { type ErrorDetails, listCauses } from '../errors.ts';

const GUIDE = 'See "TLS to PostgreSQL" in docs/operations.md.';

/** A server, and how its URL wants TLS. */
interface Place {
  /** `HOST:PORT` */
  readonly server: string;
  readonly role: string;
  readonly parameters: URLSearchParams;
  /** The variable or option with the URL. */
  readonly variable: string;
}

/** The parameters of a URL that name files. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

type Hint = (place: Place, reason: string) => string;

const describeCertificate = ({ server, variable }: Place) =>
  `The certificate of the PostgreSQL server at ${server}, which ${variable} names,`;

/** By the codes and messages of Node, the driver and the server. */
const hints: readonly (readonly [fault: RegExp, hint: Hint])[] = [
  [
    /does not support SSL connections/,
    ({ server, variable, parameters }) => {
      const mode = parameters.get('sslmode');
      const wanted = mode === null ? variable : `sslmode=${mode} in ${variable}`;
      return (
        `The PostgreSQL server at ${server} does not support TLS, which ${wanted} requires. Write ` +
        `sslmode=disable into the URL, or set up TLS on the server.`
      );
    },
  ],
  [
    /no encryption|SSL off|connection is insecure|(SSL|TLS)( connection)? (is )?required/i,
    ({ server, variable }) =>
      `The PostgreSQL server at ${server}, which ${variable} names, requires TLS: write sslmode=verify-full into the ` +
      `URL. ${GUIDE}`,
  ],
  [
    /valid client certificate/,
    ({ server, variable, role }) =>
      `The PostgreSQL server at ${server} wants a certificate of the user "${role}": name its files by sslcert and ` +
      `sslkey in ${variable}. ${GUIDE}`,
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|CERT_UNTRUSTED|INVALID_CA/,
    (place, told) => {
      const about = describeCertificate(place);
      // Node goes on with advice about its own flags.
      const [reason] = told.split(';');
      return place.parameters.has('sslrootcert')
        ? `${about} is of no authority in the file that sslrootcert names (${reason}). ${GUIDE}`
        : `${about} is of no authority that is known here (${reason}). Name the file with that of its authority: ` +
            `sslrootcert=/path/ca.pem in the URL. ${GUIDE}`;
    },
  ],
  [
    /ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH/,
    (place, reason) =>
      `${describeCertificate(place)} is for another name: ${reason}. Name the server as its certificate does. ${GUIDE}`,
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    (place, reason) =>
      `${describeCertificate(place)} is not valid now: ${reason}. Renew it, or correct the clock of this machine. ${GUIDE}`,
  ],
  [
    /^(CERT_|CRL_|ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO|UNABLE_TO_|TlsConnectionError)/m,
    ({ server, variable }, reason) =>
      `TLS to the PostgreSQL server at ${server}, which ${variable} names, failed: ${reason}. ${GUIDE}`,
  ],
];

/** Explains why TLS to a server failed, and what to do; returns null for another error. */
export function hintForTls(error: unknown, place: Place): string | null {
  const causes = listCauses(error);
  const isOfFile = ({ path }: ErrorDetails) =>
    FILES.find((name) => path !== undefined && path === place.parameters.get(name));
  const reason = oneLine(error).replace(/\.$/, '');
  const file = causes.flatMap((one) => isOfFile(one) ?? [])[0];
  if (file !== undefined)
    return (
      `${file} in ${place.variable} names the file "${place.parameters.get(file)}", which cannot be read: ` +
      `${reason}.`
    );
  const told = causes
    .flatMap(({ kind, code, originalCode, message, reason: why }) => [kind, code, originalCode, message, why])
    .join('\n');
  return hints.find(([fault]) => fault.test(told))?.[1](place, reason) ?? null;
}
