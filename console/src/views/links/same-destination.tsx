import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { Link } from 'wouter';
import { type LinkRowFragment, LinksToDocument } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { texts } from '../../texts.ts';
import { encodeBidi, shortUrlText, trimPasted } from '../../words/format.ts';

const PAUSE = 250;
/** The first characters that a stored address may have in another form: links of earlier versions have them raw. */
const ENCODED = /%(?:D8%9C|E2%8[01]%).*/s;

/** Offers a link that leads to the same destination already. */
export function SameDestination({ url }: { url: string }): ReactElement | null {
  const client = useClient();
  const [found, setFound] = useState<{ url: string; link: LinkRowFragment } | null>(null);
  const asked = encodeBidi(trimPasted(url));
  useEffect(() => {
    if (!/^https?:\/\/[^/\s]+/i.test(asked)) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      const { data } = await client
        .query(LinksToDocument, { url: asked.replace(ENCODED, '') }, { requestPolicy: 'network-only' })
        .toPromise();
      const link = data?.links.nodes.find(({ url }) => [asked, `${asked}/`].includes(encodeBidi(url)));
      if (!isOver && link) setFound({ url: asked, link });
    }, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, asked]);
  if (found?.url !== asked) return null;
  const { link } = found;
  return (
    <p className="notice" role="status">
      <span>{texts.newLink.same}</span>
      <Link href={`/links/${link.id}`}>{shortUrlText(link.shortUrl)}</Link>
      <CopyButton text={link.shortUrl} />
      <span className="quiet">{texts.newLink.another}</span>
    </p>
  );
}
