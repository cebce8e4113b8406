import type { ReactElement } from 'react';
import type { LinkFields } from '../../../data/link-fields.ts';
import type { LinkWholeFragment } from '../../../generated/documents.ts';
import { previewTexts } from '../../../preview-texts.ts';
import { DrawnCard, toCard } from './preview-cards.tsx';

/** The card of a link in one chat; without one of its own, a line about what chats show. */
export function CardPreview({
  fields,
  host,
  link,
}: {
  fields: LinkFields;
  host: string;
  link: LinkWholeFragment | undefined;
}): ReactElement | null {
  const card = toCard(fields, host);
  if (card) return <DrawnCard network="WhatsApp" card={card} />;
  if (fields.url.trim() === '') return null;
  const hasPassword = (link?.hasPassword && !fields.removesPassword) || fields.password !== '';
  const isHidden = hasPassword || fields.expiresAfter.trim() !== '';
  return <p className="quiet">{isHidden ? previewTexts.hidden : previewTexts.ofDestination}</p>;
}
