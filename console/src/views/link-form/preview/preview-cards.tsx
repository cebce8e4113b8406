import type { ReactElement } from 'react';
import type { LinkFields } from '../../../data/link-fields.ts';
import { previewTexts } from '../../../preview-texts.ts';

/** The parts of a card. */
export interface Card {
  readonly title: string;
  readonly description: string;
  /** The address of the picture; empty for none. */
  readonly image: string;
  readonly host: string;
}

/** The card of a form; null while it is that of the destination. */
export function toCard({ preview, title: ownTitle, password }: LinkFields, host: string): Card | null {
  const { title, description, image } = preview;
  if ([title, description, image].every((one) => one.trim() === '')) return null;
  // A password hides the link's own title, too.
  const shown = title.trim() || (password === '' && ownTitle.trim()) || previewTexts.untitled;
  return { title: shown, description: description.trim(), image, host };
}

/** The networks whose cards are drawn; their names are the same in every language. */
const networks = ['Slack', 'WhatsApp', 'LinkedIn', 'X'] as const;

type Network = (typeof networks)[number];

/** A card about as a network shows it: its order and its measures, in the colours of the console. */
export function DrawnCard({ network, card }: { network: Network; card: Card }): ReactElement {
  const { title, description, image, host } = card;
  const t = previewTexts;
  const picture = image !== '' && <img src={image} alt="" />;
  const name = (
    <b className="card-title">
      <bdi>{title}</bdi>
    </b>
  );
  const text = description !== '' && (
    <span className={network === 'WhatsApp' ? 'hint cut' : 'hint'}>
      <bdi>{description}</bdi>
    </span>
  );
  const from = <span className="card-host hint">{network === 'X' ? t.from(host) : host}</span>;
  return (
    <figure>
      <div className={`share-card card-${network.toLowerCase()}`}>
        {network === 'Slack' && (
          <>
            {from}
            {name}
            {text}
            {picture}
          </>
        )}
        {network === 'WhatsApp' && (
          <>
            {picture}
            {name}
            {text}
            {from}
          </>
        )}
        {network === 'LinkedIn' && (
          <>
            {picture}
            {name}
            {from}
          </>
        )}
        {network === 'X' && (
          <>
            <span className="card-picture">
              {picture}
              {name}
            </span>
            {from}
          </>
        )}
      </div>
      <figcaption className="hint">{network}</figcaption>
    </figure>
  );
}

/** The cards of several networks, for comparison. */
export function PreviewCards({ card }: { card: Card }): ReactElement {
  return (
    <section className="preview-cards" aria-label={previewTexts.cards}>
      {networks.map((network) => (
        <DrawnCard key={network} network={network} card={card} />
      ))}
    </section>
  );
}
