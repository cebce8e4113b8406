import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { LinkFields } from '../../data/link-fields.ts';
import { errorsIn } from '../../data/refusals.ts';
import { CheckLinksDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { TextField } from '../../parts/field.tsx';
import { trimPasted } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

/** How long after typing an alias is checked, in milliseconds. */
const PAUSE = 400;

/** The alias, and whether it is free. */
export function AliasField({
  fields: { alias, domainId },
  error,
  onChange,
  link,
}: {
  fields: LinkFields;
  error: string | undefined;
  onChange: (patch: Partial<LinkFields>) => void;
  link: LinkWholeFragment | undefined;
}): ReactElement {
  const client = useClient();
  const [checked, setChecked] = useState<{ of: string; wrong: string | undefined } | null>(null);
  const asked = trimPasted(alias);
  const isSame = asked === (link?.alias ?? '');
  const of = `${domainId} ${asked}`;
  useEffect(() => {
    if (isSame) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      // Only the errors of the alias matter: the URL is a placeholder.
      const input = { url: 'https://example.com/', alias: asked, ...(domainId && { domainId }) };
      const { data } = await client
        .query(CheckLinksDocument, { inputs: [input] }, { requestPolicy: 'network-only' })
        .toPromise();
      const [result] = data?.checkLinks ?? [];
      if (!isOver && result !== undefined)
        setChecked({ of, wrong: result ? errorsIn(['alias'], result.fields).errors.alias : undefined });
    }, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, asked, domainId, isSame, of]);
  const t = texts.form;
  const result = !isSame && checked?.of === of ? checked : null;
  const hint =
    result === null || result.wrong !== undefined ? (link ? t.aliasMoves : t.aliasHint) : t.aliasFree;
  return (
    <TextField
      label={t.alias}
      value={alias}
      onText={(text) => onChange({ alias: text })}
      spellCheck={false}
      autoCapitalize="off"
      hint={<span className={hint === t.aliasFree ? 'good' : undefined}>{hint}</span>}
      error={error ?? result?.wrong}
    />
  );
}
