import iso6391 from 'iso-639-1';
import { LRUCache } from 'lru-cache';
import { kinds, type Value, variantText, visitValue } from '../db/statistics/value.ts';
import { clientOf, hostOfReferrer } from '../domain/rule/facts.ts';
import type { Variant } from '../domain/rule/lead.ts';
import { preferredLanguage, systemOf, type Visitor } from '../domain/visit/visitor.ts';
import { encodeBidi } from '../engine/tools/bidirectional.ts';

const languages: ReadonlySet<string> = new Set(iso6391.getAllCodes());

/** The size of each cache: few user agents, languages and referrers make most visits. */
const max = 2_000;

// The parts of a key are separated by line breaks, which no header contains, so that no visitor can send the key of another.

/** Browser, system and device, from the user agent and the client hint. */
const clients = new LRUCache<string, Value, Visitor>({
  max,
  memoMethod(_key, _stale, { context: visitor }) {
    const { browser, device } = clientOf(visitor.userAgent);
    return visitValue(kinds.CLIENT, { browser, os: systemOf(visitor), device });
  },
});

const locales = new LRUCache<string, Value, Visitor>({
  max,
  memoMethod: (_key, _stale, { context: { country, acceptLanguage } }) =>
    visitValue(kinds.LOCALE, { country, language: preferredLanguage(acceptLanguage, languages) }),
});

/**
 * The host of a Referer header, in lower case, without `www.`, port and path; of an app for Android, its package. Null if it has
 * none.
 */
export function referrerHost(referrer: string): string | null {
  // `www.` and a single label, such as www.example, is the whole name of a site.
  const host = hostOfReferrer(referrer);
  return /^https?:/i.test(referrer) ? (host?.replace(/^www\.(?=.+\.)/, '') ?? null) : host;
}

const referrers = new LRUCache<string, readonly Value[]>({
  max,
  memoMethod(header) {
    const referrer = referrerHost(header);
    return referrer === null ? [] : [visitValue(kinds.REFERRER, { referrer })];
  },
});

const destinations = new LRUCache<string, Value>({
  max,
  memoMethod: (destination) => visitValue(kinds.DESTINATION, { destination: encodeBidi(destination) }),
});

/** The value for a destination, without the query of the visit. */
export function describeDestination(destination: string): Value {
  return destinations.memo(destination);
}

const variants = new LRUCache<string, Value>({
  max,
  memoMethod: (variant) => visitValue(kinds.VARIANT, { variant }),
});

/** The value for the target of a rule. */
export function describeVariant(linkId: number, { ruleId, targetId }: Variant): Value {
  return variants.memo(variantText(linkId, ruleId, targetId));
}

/** The values of a visitor that are counted with a click; none if tracking is declined. */
export function describeVisitor(visitor: Visitor, referrer: string): readonly Value[] {
  if (visitor.optedOut) return [];
  const { country, acceptLanguage, platformHint, userAgent } = visitor;
  return [
    clients.memo(platformHint === null ? userAgent : `${platformHint}\n${userAgent}`, { context: visitor }),
    locales.memo(`${country ?? ''}\n${acceptLanguage}`, { context: visitor }),
    ...(referrer === '' ? [] : referrers.memo(referrer)),
  ];
}
