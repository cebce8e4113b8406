import type { ReactElement } from 'react';
import { agents, example } from '../../data/agents.ts';
import { useRead } from '../../data/read.ts';
import { ExplainDocument, type ExplainQuery, type LinkWholeFragment } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { texts } from '../../texts.ts';
import { countryName, languageName } from '../../words/format.ts';

export type Decision = ExplainQuery['explainRedirect'];

/** The outcome of a visit in words, which continue a sentence that starts with the visitor. */
export function describeOutcome({ outcome, destination }: Pick<Decision, 'outcome' | 'destination'>): string {
  const { outcomes } = texts.explain;
  return (destination === null ? undefined : outcomes[`${outcome}_TO`]) ?? outcomes[outcome] ?? outcome;
}

/** Says what a German iPhone gets, as an example, of the link as it is saved. */
export function Example({ link }: { link: LinkWholeFragment }): ReactElement | null {
  const { device, country, language } = example;
  const input = { linkId: link.id, userAgent: agents[device], country, acceptLanguage: language };
  const { data } = useRead(ExplainDocument, { input }, { on: ['LINK'] });
  const t = texts.explain;
  if (!data) return null;
  const decision = data.explainRedirect;
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
