import { Fragment, memo, type ReactElement, useDeferredValue } from 'react';
import { Link as To } from 'wouter';
import { toAlias } from '../../data/alias.ts';
import { hasEnded } from '../../data/ending.ts';
import { useRuleWords } from '../../data/late-rule-words.ts';
import { filledTargets, type LinkFields, newAliases } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { isForEverybody, shareOf } from '../../data/rule-edits.ts';
import { targetChoice } from '../../data/target-choices.ts';
import { followUtm, utmIn } from '../../data/utm.ts';
import { ChoicesDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { texts } from '../../texts.ts';
import { asShare } from '../../words/format.ts';
import { type Decision, Example, ownOutcome, useExample } from '../link/example.tsx';

const CardPreview = lazily(
  async () => (await import('./preview/card-preview.tsx')).CardPreview,
  <span hidden />,
);

/** The destinations of a form, each with the visitors who get it. */
function Destinations({
  fields,
  lead,
  isNew,
  explained,
}: {
  fields: LinkFields;
  lead: string;
  isNew: boolean;
  explained: Decision | undefined;
}): ReactElement | null {
  const list = fields.targetType === 'NONE' ? null : fields.targetType;
  const targets = list === null ? [] : filledTargets(fields.targets[list]);
  const targetName = (key: string) =>
    list === null || key === '' ? '' : (targetChoice(list, key)?.name ?? key);
  const t = texts.link;
  const words = useRuleWords(fields.rules.length > 0);
  const ruled = fields.rules.flatMap((rule, index) => {
    const { when, to } = rule;
    const who = index > 0 && when.length === 0 ? t.allOthers : words?.describeVisitors(when);
    const name = words?.ownName(rule) || who;
    return to.map((target) => ({
      urls: [target.url],
      name: [name, to.length > 1 && asShare(shareOf(to, target))].filter(Boolean).join(' '),
    }));
  });
  const named =
    isInTurn(fields) && ruled.length > 0
      ? [{ name: t.allOthersInTurn, urls: targets.map(({ url }) => url) }]
      : targets.map(({ key, url }) => ({ urls: [url], name: targetName(key) }));
  const { utmTemplateId, utmOnTargets } = fields;
  const whole = (utmTemplateId !== '' && explained?.url) || fields.url;
  // What a template adds to the destination, the others get, too.
  const tagged = (url: string) => (utmOnTargets ? followUtm(url, utmIn(fields.url), utmIn(whole)) : url);
  const isOnly = named.length === 0 && ruled.length === 0;
  // The destination of the link takes no part in a rotation, and gets nobody behind a rule for everybody.
  const hasOthers = fields.targetType !== 'NONE' || !fields.rules.some(isForEverybody);
  const own = isInTurn(fields) || !hasOthers ? [] : [{ urls: [whole], name: isOnly ? '' : t.allOthers }];
  const others = [...ruled, ...named].map((one) => ({ ...one, urls: one.urls.map(tagged) }));
  const all = [...others, ...own].filter(({ urls }) => urls.some((url) => url !== ''));
  // Everybody gets the only one.
  if (all.length === 0 || (isNew && all.length === 1)) return null;
  return (
    <>
      <p className="quiet">{lead}</p>
      {all.map(({ urls, name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a destination may have two turns
        <p key={index} className="address">
          {name !== '' && <span className="quiet">{texts.labelled(name, '')}</span>}
          {urls.filter(Boolean).map((url, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a destination may have two turns
            <Fragment key={at}>
              {at > 0 && ', '}
              <Address of={url} />
            </Fragment>
          ))}
        </p>
      ))}
    </>
  );
}

const isInTurn = ({ targetType, targets }: LinkFields): boolean =>
  targetType === 'ROTATION' && filledTargets(targets.ROTATION).length > 0;

/** The short URL of a form and its code, its card, its destinations, and what one visitor gets. */
export function LinkPreview({
  fields,
  ...other
}: {
  fields: LinkFields;
  host: string;
  link?: LinkWholeFragment;
  /** The outcome of a visit, if the form tells it by itself. */
  own?: Decision['outcome'] | null;
}): ReactElement {
  // Typing goes before it.
  return <Preview fields={useDeferredValue(fields)} {...other} />;
}

const Preview = memo(function Preview({
  fields,
  host,
  link,
  own = null,
}: Parameters<typeof LinkPreview>[0]): ReactElement {
  const t = texts.link;
  const explained = useExample(fields, link);
  // Of several links that are made at once, it shows the first.
  const alias = (link ? toAlias(fields.alias) : newAliases(fields)[0]) || link?.alias;
  const origin = link === undefined ? `${location.protocol}//${host}` : new URL(link.shortUrl).origin;
  const shortUrl = alias === link?.alias ? link?.shortUrl : `${origin}/${encodeURI(alias ?? '')}`;
  const leads =
    isInTurn(fields) && fields.rules.length === 0
      ? [t.leadsInTurn, t.wouldLeadInTurn]
      : [t.leadsTo, t.wouldLead];
  const hasBegun = link === undefined || link.startsAt === null || Date.parse(link.startsAt) <= Date.now();
  const isOver = link && (link.status !== 'ACTIVE' || link.blocked || hasEnded(link) || !hasBegun);
  const destinations = (
    <Destinations
      fields={fields}
      lead={leads[isOver ? 1 : 0] ?? ''}
      isNew={link === undefined}
      explained={explained}
    />
  );
  const visitor = (
    <>
      <Example own={own} explained={explained} />
      {link && <To href={`/links/${link.id}/test`}>{texts.explain.more}</To>}
    </>
  );
  return (
    <aside className="card preview stack" aria-label={t.preview}>
      {alias === undefined || alias === '' || shortUrl === undefined ? (
        <span className="qr none">
          <Icon name="qr" />
        </span>
      ) : (
        <QrCode text={shortUrl} />
      )}
      <div>
        <p className="short-url">
          <span className="host">{host}/</span>
          <wbr />
          {alias || <span className="host">…</span>}
        </p>
        {/* An ended link shows its present behaviour before its next one. */}
        {isOver ? visitor : destinations}
      </div>
      <CardPreview fields={fields} host={host} link={link} />
      <div className="hint">
        {isOver && destinations}
        {!isOver && visitor}
      </div>
    </aside>
  );
});

/** The preview of a link that is not made yet. */
export function DraftPreview({ fields }: { fields: LinkFields }): ReactElement {
  const domains = useRead(ChoicesDocument, {}).data?.domains.nodes ?? [];
  const domain = domains.find(({ id, shared }) => (fields.domainId === '' ? shared : id === fields.domainId));
  // Visitors find no link on a domain that is not verified.
  const own = domain?.verified === false ? 'NOT_FOUND' : ownOutcome(fields);
  return <LinkPreview fields={fields} host={domain?.name ?? location.host} own={own} />;
}
