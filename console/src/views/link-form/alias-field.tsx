import type { ReactElement } from 'react';
import { type Option, Select } from '../../controls/select.tsx';
import { toAlias } from '../../data/alias.ts';
import { type LinkFields, newAliases } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { errorsIn } from '../../data/refusals.ts';
import { useSettled } from '../../data/settled.ts';
import {
  AliasesLikeDocument,
  CheckLinksDocument,
  type LinkWholeFragment,
} from '../../generated/documents.ts';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { foldName, trimPasted } from '../../words/format.ts';

/** The pause after typing before an alias is checked, in milliseconds. */
const PAUSE = 400;

interface AliasFieldProps {
  readonly fields: LinkFields;
  readonly error: string | undefined;
  onChange(patch: Partial<LinkFields>): void;
  readonly link: LinkWholeFragment | undefined;
  readonly host: string;
  /** The domains to choose from; a link keeps its own. */
  readonly hosts: readonly Option<string>[];
  /** The id of the domain that a link has without a choice. */
  readonly ownId: string;
}

/** The alias behind its domain, and whether it is free. */
export function AliasField(props: AliasFieldProps): ReactElement {
  const { fields, error, onChange, link, host, hosts, ownId } = props;
  const { alias, domainId } = fields;
  const asked = toAlias(alias);
  const isSame = asked === (link?.alias ?? '');
  // Only the errors of the alias matter: the URL is a placeholder.
  const question = newAliases(fields).map((one) => ({
    ...{ url: 'https://example.com/', alias: one, ...(domainId && { domainId }) },
  }));
  const [inputs, isPresent] = useSettled(question, PAUSE);
  const pause = isSame || !isPresent;
  const { data, isLoading } = useRead(CheckLinksDocument, { inputs }, { pause });
  const checks = pause || isLoading ? undefined : data?.checkLinks;
  const wrong = errorsIn(['alias'], checks?.flatMap((one) => one?.fields ?? []) ?? []).errors.alias;
  // Aliases of other accounts stay unknown.
  const like = useRead(
    AliasesLikeDocument,
    { alias: asked, domainId: link?.domain.id ?? (domainId || ownId || null) },
    { pause: pause || asked === '' || inputs.length > 1 },
  ).data?.links.nodes.find((one) => one.alias !== asked && foldName(one.alias) === foldName(asked));
  const t = texts.form;
  const hint = checks && wrong === undefined ? t.aliasFree : link ? t.aliasMoves : t.aliasHint;
  const isChoice = link === undefined && hosts.length > 1;
  return (
    <Field
      label={t.alias}
      hint={
        <>
          {asked !== trimPasted(alias) && <b>{`${host}/${asked} `}</b>}
          <span className={hint === t.aliasFree ? 'good' : undefined}>{hint}</span>
        </>
      }
      warning={checks && like && t.aliasLike(like.alias)}
      error={error ?? wrong}
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
