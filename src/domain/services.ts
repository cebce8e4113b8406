import { randomInt } from 'node:crypto';
import { ImageWork } from '../engine/images/work.ts';
import type { SendMail } from '../engine/outgoing/mail.ts';
import { hostOf, matchOtherNames, protocolOf, withoutPort } from '../engine/rules/url.ts';
import type { Random } from '../engine/tools/random.ts';
import type { OperatorLists } from './link/blocklists.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { WAITING_LIMITS, type WaitingLimits } from './webhook/waiting-limits.ts';

/** Megabytes that an account's images may have by default: two thousand of the largest. */
export const PREVIEW_MEGABYTES = 200;

/** Settings and services that the rules depend on. */
export interface Services {
  /** The scheme of short URLs: `https:`. */
  readonly scheme: string;
  /** The address of the service, without a path. */
  readonly baseUrl: string;
  /** True if the address leads to this service by another name of its machine, such as `127.0.0.1`. */
  isOtherName(address: string): boolean;
  /** The domain of links without a given one. */
  readonly defaultDomainId: number;
  readonly random: Random;
  /** The name of the host that is only for the console; null if there is none. */
  readonly consoleHost: string | null;
  /** The address of a page of the console, with a token that no server gets: `accept`. */
  pageUrl(page: string, token: string): string;
  /** Sends a mail, later; null if no mail server is set up. */
  readonly sendMail: SendMail | null;
  /** A hash for `verifyPassword`; owners take turns. */
  hashPassword(owner: string, password: string): Promise<string>;
  /** True if the password has this hash; owners take turns. */
  verifyPassword(owner: string, password: string, hash: string): Promise<boolean>;
  /** Makes images anew. */
  readonly images: Pick<ImageWork, 'make'>;
  /** Megabytes that an account's images of previews may have. */
  readonly previewMegabytes: number;
  /** True if previews are shown on domains of several accounts. */
  readonly sharedPreviews: boolean;
  /** True if domains must be verified before they serve visitors. */
  readonly verifiesDomains: boolean;
  /** True if aliases on domains that several accounts use may have letters of any script. */
  readonly sharesScripts: boolean;
  /** The texts of the TXT records of a host name in DNS. @param timeout in milliseconds */
  resolveTxt(name: string, timeout?: number): Promise<readonly string[]>;
  /** True if webhooks may call addresses in the operator's own network. */
  readonly allowPrivateWebhooks: boolean;
  /** The operator's blocked hosts and reserved aliases. */
  readonly lists: OperatorLists;
  /** Limits of the messages that wait for an account's webhooks. */
  readonly waitingLimits: WaitingLimits;
}

interface Settings
  extends Pick<Services, 'verifiesDomains' | 'allowPrivateWebhooks'>,
    Partial<Pick<Services, 'previewMegabytes' | 'sharedPreviews' | 'sharesScripts'>> {
  readonly baseUrl: string;
  readonly consoleUrl?: string | undefined;
  /** The port that the service listens on. */
  readonly port: number;
}

type Given = Pick<Services, 'defaultDomainId' | 'lists' | 'resolveTxt'> & Partial<Services>;

/** The services for a caller: before what they do for it elsewhere, and after each wait, `ask` throws if it may not go on. */
export function withQuestions(services: Services, ask: () => void): Services {
  const { sendMail } = services;
  const asking = async <T>(work: () => Promise<T>): Promise<T> => {
    ask();
    const result = await work();
    ask();
    return result;
  };
  return {
    ...services,
    sendMail:
      sendMail &&
      ((...mail) => {
        ask();
        return sendMail(...mail);
      }),
    hashPassword: (...given) => asking(() => services.hashPassword(...given)),
    verifyPassword: (...given) => asking(() => services.verifyPassword(...given)),
    images: { make: (...given) => asking(() => services.images.make(...given)) },
    resolveTxt: (...given) => asking(() => services.resolveTxt(...given)),
  };
}

/** The services with these settings; what is not given is the program's own. */
export function createServices({ baseUrl, consoleUrl, port, ...settings }: Settings, given: Given): Services {
  return {
    scheme: protocolOf(baseUrl),
    baseUrl,
    isOtherName: matchOtherNames(baseUrl, port),
    consoleHost: consoleUrl === undefined ? null : withoutPort(hostOf(consoleUrl)),
    pageUrl: (page, token) => `${consoleUrl ?? baseUrl}/console/${page}#${token}`,
    sendMail: null,
    waitingLimits: WAITING_LIMITS,
    random: randomInt,
    hashPassword,
    verifyPassword,
    images: new ImageWork(),
    verifiesDomains: settings.verifiesDomains,
    allowPrivateWebhooks: settings.allowPrivateWebhooks,
    sharedPreviews: settings.sharedPreviews ?? false,
    previewMegabytes: settings.previewMegabytes ?? PREVIEW_MEGABYTES,
    sharesScripts: settings.sharesScripts ?? false,
    ...given,
  };
}
