import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../data/read.ts';
import { useSettled } from '../../data/settled.ts';
import { LinksToDocument } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { texts } from '../../texts.ts';
import { encodeBidi, shortUrlText, trimPasted } from '../../words/format.ts';

const PAUSE = 250;
/** The first characters that a stored address may have in another form: links of earlier versions have them raw. */
const ENCODED = /%(?:D8%9C|E2%8[01]%).*/s;

/** Offers a link that leads to the same destination already. */
export function SameDestination({ url }: { url: string }): ReactElement | null {
  const asked = encodeBidi(trimPasted(url));
  const [settled, isPresent] = useSettled(asked, PAUSE);
  const pause = !isPresent || !/^https?:\/\/[^/\s]+/i.test(asked);
  const { data, isLoading } = useRead(LinksToDocument, { url: settled.replace(ENCODED, '') }, { pause });
  const link = data?.links.nodes.find(({ url }) => [asked, `${asked}/`].includes(encodeBidi(url)));
  if (pause || isLoading || !link) return null;
  return (
    <p className="notice" role="status">
      <span>{texts.newLink.same}</span>
      <Link href={`/links/${link.id}`}>{shortUrlText(link.shortUrl)}</Link>
      <CopyButton text={link.shortUrl} />
      <span className="quiet">{texts.newLink.another}</span>
    </p>
  );
}
