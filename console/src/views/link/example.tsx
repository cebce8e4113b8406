import type { ReactElement } from 'react';
import { agents, example } from '../../data/agents.ts';
import { askedInput } from '../../data/asked-rules.ts';
import { type LinkFields, toLinkFields } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { unsendable } from '../../data/refusals.ts';
import { useSettled } from '../../data/settled.ts';
import { ExplainDocument, type ExplainQuery, type LinkWholeFragment } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { texts } from '../../texts.ts';
import { countryName, fromLocalInput, languageName, withScheme } from '../../words/format.ts';

export type Decision = ExplainQuery['explainRedirect'];

/** The outcome of a visit in words, which continue a sentence that starts with the visitor. */
export function describeOutcome({ outcome, destination }: Pick<Decision, 'outcome' | 'destination'>): string {
  const { outcomes } = texts.explain;
  return (destination === null ? undefined : outcomes[`${outcome}_TO`]) ?? outcomes[outcome] ?? outcome;
}

/** The pause after typing before the service is asked, in milliseconds. */
const PAUSE = 300;

/** The outcome that a form tells by itself: the service is asked about destinations alone. */
export function ownOutcome({ startsAt, expiresAt, password }: LinkFields): Decision['outcome'] | null {
  if (Date.parse(fromLocalInput(startsAt) ?? '') > Date.now()) return 'NOT_FOUND';
  if (Date.parse(fromLocalInput(expiresAt) ?? '') <= Date.now()) return 'EXPIRED';
  return password === '' ? null : 'PASSWORD';
}

/** The decision about a German iPhone for a link as it is in the form; undefined until it is known. */
export function useExample(fields: LinkFields, link: LinkWholeFragment | undefined): Decision | undefined {
  const { device, country, language } = example;
  // No test changes what a visitor gets.
  const { ruleTests: _, ...question } = askedInput(link, fields);
  // A destination whose country or system is not chosen yet cannot be asked about.
  const isWhole = Object.keys(unsendable(fields, link && toLinkFields(link))).length === 0;
  const [asked] = useSettled(isWhole ? question : null, PAUSE);
  const input = { ...asked, userAgent: agents[device], country, acceptLanguage: language };
  const pause = asked === null || (!link && withScheme(fields.url) === '');
  const { data } = useRead(ExplainDocument, { input }, { on: ['LINK', 'UTM_TEMPLATE'], pause });
  return pause ? undefined : data?.explainRedirect;
}

/** Says what a German iPhone gets, as an example. */
export function Example({
  own,
  explained,
}: {
  own: Decision['outcome'] | null;
  explained: Decision | undefined;
}): ReactElement | null {
  const { device, country, language } = example;
  const t = texts.explain;
  const decision = own === null || !explained ? explained : { outcome: own, destination: null };
  if (!decision) return null;
  const who = t.who(t.withDevices[device], countryName(country), languageName(language));
  return (
    <p>
      {t.gets(who, describeOutcome(decision))}{' '}
      {decision.destination !== null && (
        <b className="address">
          <Address of={decision.destination} />
        </b>
      )}
    </p>
  );
}
