import { type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { focusSoon } from '../../app/focus.ts';
import { Choice } from '../../controls/choice.tsx';
import type { ChoiceItem } from '../../controls/choice-matches.ts';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument, LinksNamedDocument, TagChoicesDocument } from '../../generated/documents.ts';
import { moreTexts } from '../../more-texts.ts';
import { shortUrlText, withoutScheme } from '../../words/format.ts';
import { type ComparedLine, formatLine, MAX_LINES, parseLines, useLines } from './lines.ts';
import type { Owner } from './owner.ts';

/** The choice of a line to compare with what a chart shows. */
export function NextLine({ owner }: { owner: Owner }): ReactElement {
  const { lines, setLines } = useLines(owner);
  const begun = lines ?? [];
  return (
    <div className="legend-bar">
      <CompareField
        lines={begun}
        onLine={(line) => {
          setLines([...begun, line]);
          focusSoon('.compared-lines .legend-bar input');
        }}
      />
      <span className="hint">{moreTexts.compare.hint(MAX_LINES)}</span>
    </div>
  );
}

/** A choice of a space, a tag or a link to compare; links are searched as somebody types. */
export function CompareField({
  lines,
  onLine,
}: {
  /** Those that are compared already. */
  lines: readonly ComparedLine[];
  onLine: (line: ComparedLine) => void;
}): ReactElement {
  const client = useClient();
  const [typed, setTyped] = useState('');
  const [links, setLinks] = useState<readonly ChoiceItem[]>([]);
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const tags = useRead(TagChoicesDocument, {}, { on: ['TAG'] }).data?.tags.nodes ?? [];
  const search = async (text: string) => {
    if (text === '') return setLinks([]);
    // The host of a short URL is no part of what is searched.
    const sought = withoutScheme(text).replace(/^[^\s/]+\/(?=.)/, '');
    const { data } = await client.query(LinksNamedDocument, { search: sought }).toPromise();
    const found = data?.links.nodes ?? [];
    setLinks(
      found.map(({ id, shortUrl, title }) => ({
        ...{ id: `link:${id}`, name: shortUrlText(shortUrl), words: title === null ? [] : [title] },
      })),
    );
  };
  const known = new Set(lines.map(formatLine));
  const items: readonly ChoiceItem[] = [
    ...spaces.map(({ id, name, color }) => ({ id: `space:${id}`, name, color })),
    ...tags.map(({ id, name, color }) => ({ id: `tag:${id}`, name, color })),
    ...links,
  ].filter(({ id }) => !known.has(id));
  return (
    <Choice
      label={moreTexts.compare.add}
      placeholder={moreTexts.compare.placeholder}
      items={items}
      value={null}
      typed={typed}
      onSearch={search}
      onValue={(item, text) => {
        setTyped(text);
        const [line] = (item && parseLines(`line=${item.id}`)) ?? [];
        if (line) onLine(line);
      }}
    />
  );
}
