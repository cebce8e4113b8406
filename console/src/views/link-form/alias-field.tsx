import { type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { useClient } from 'urql';
import { type Option, Select } from '../../controls/select.tsx';
import { toAlias } from '../../data/alias.ts';
import { type LinkFields, newAliases } from '../../data/link-fields.ts';
import { errorsIn } from '../../data/refusals.ts';
import { CheckLinksDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { trimPasted } from '../../words/format.ts';

/** The pause after typing before an alias is checked, in milliseconds. */
const PAUSE = 400;

/** The alias behind its domain, and whether it is free. */
export function AliasField({
  fields,
  error,
  onChange,
  link,
  host,
  hosts,
  ownId,
}: {
  fields: LinkFields;
  error: string | undefined;
  onChange: (patch: Partial<LinkFields>) => void;
  link: LinkWholeFragment | undefined;
  host: string;
  /** The domains to choose from; a link keeps its own. */
  hosts: readonly Option<string>[];
  /** The id of the domain that a link has without a choice. */
  ownId: string;
}): ReactElement {
  const { alias, domainId } = fields;
  const client = useClient();
  const [checked, setChecked] = useState<{ of: string; wrong: string | undefined } | null>(null);
  const asked = toAlias(alias);
  const isSame = asked === (link?.alias ?? '');
  const of = [domainId, ...newAliases(fields)].join(' ');
  const aliasesNow = useEffectEvent(() => newAliases(fields));
  useEffect(() => {
    if (isSame) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      // Only the errors of the alias matter: the URL is a placeholder.
      const inputs = aliasesNow().map((one) => ({
        ...{ url: 'https://example.com/', alias: one, ...(domainId && { domainId }) },
      }));
      const { data } = await client
        .query(CheckLinksDocument, { inputs }, { requestPolicy: 'network-only' })
        .toPromise();
      if (isOver || !data) return;
      const wrong = data.checkLinks.flatMap((one) => one?.fields ?? []);
      setChecked({ of, wrong: errorsIn(['alias'], wrong).errors.alias });
    }, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, domainId, isSame, of]);
  const t = texts.form;
  const isChoice = link === undefined && hosts.length > 1;
  const result = !isSame && checked?.of === of ? checked : null;
  const hint =
    result === null || result.wrong !== undefined ? (link ? t.aliasMoves : t.aliasHint) : t.aliasFree;
  return (
    <Field
      label={t.alias}
      hint={
        <>
          {asked !== trimPasted(alias) && <b>{`${host}/${asked} `}</b>}
          <span className={hint === t.aliasFree ? 'good' : undefined}>{hint}</span>
        </>
      }
      error={error ?? result?.wrong}
    >
      {(parts) => (
        <div className="joined">
          {isChoice && (
            <Select
              aria-label={t.domain}
              value={domainId || ownId}
              options={hosts}
              onValue={(value) => onChange({ domainId: value === ownId ? '' : value })}
            />
          )}
          <span>{!isChoice && host}</span>
          <input
            type="text"
            autoComplete="off"
            spellCheck={false}
            autoCapitalize="off"
            value={alias}
            {...parts}
            onChange={({ target: { value } }) => onChange({ alias: value })}
            onBlur={() => asked !== alias && onChange({ alias: asked })}
          />
        </div>
      )}
    </Field>
  );
}
