import type { ReactElement } from 'react';
import type { LinkFields } from '../../../data/link-fields.ts';
import { DrawnCard, toCard } from './preview-cards.tsx';

/** The card of a link in one chat; nothing while it has that of its destination. */
export function CardPreview({ fields, host }: { fields: LinkFields; host: string }): ReactElement | null {
  const card = toCard(fields, host);
  return card && <DrawnCard network="WhatsApp" card={card} />;
}
