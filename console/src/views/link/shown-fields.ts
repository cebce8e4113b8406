import { changedFields } from '../../data/edit-state.ts';
import { ruleWords, useRuleWords } from '../../data/late-rule-words.ts';
import { filledTargets, type LinkFields } from '../../data/link-fields.ts';
import { loggedName } from '../../data/meanwhile.ts';
import { useRead } from '../../data/read.ts';
import { targetChoice } from '../../data/target-choices.ts';
import type { Told } from '../../data/use-edit-state.ts';
import { ChoicesDocument, type LinkWholeFragment, TagChoicesDocument } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { atMoment } from '../../words/format.ts';

/** The fields that a form shows as they were and are: passwords are not among them. */
export const shownNames = [
  ...([
    'url',
    'title',
    'notes',
    'alias',
    'spaceId',
    'startsAt',
    'redirectStatus',
    'expiresAt',
    'expiresAfter',
    'expiredUrl',
  ] as const),
  ...([
    'rules',
    'ruleTests',
    'targetType',
    'targets',
    'pixelIds',
    'tagIds',
    'privacy',
    'forwardsQuery',
  ] as const),
];

type ShownName = (typeof shownNames)[number];

/** Gives a field in words. */
export type Shown = (fields: LinkFields, name: ShownName) => string;

/** The fields that differ and are shown, with their names and values in words. */
export const differences = (
  shown: Shown,
  before: LinkFields,
  after: LinkFields,
  names: readonly string[] = shownNames,
): { readonly name: string; readonly was: string; readonly is: string }[] => {
  const changed = changedFields(after, before);
  return shownNames
    .filter((name) => name in changed && names.includes(name))
    .map((name) => ({ name: texts.link.names[name], was: shown(before, name), is: shown(after, name) }))
    .filter(({ was, is }) => was !== is); // Targets change with how visitors are told apart, which may be as before.
};

/** Tells to which values fields went back, and from which. Others may have changed further fields meanwhile. */
export const againIn =
  (shown: Shown): Told =>
  (again, until, fields) =>
    differences(
      shown,
      until,
      again,
      shownNames.filter((name) => fields.includes(loggedName(name))),
    )
      // Lists of several lines are too long for a message.
      .map(({ name, is }) => {
        if (is.includes('\n')) return name;
        return `${name} ${is === texts.link.nothing ? is : texts.link.quoted(is)}`;
      })
      .join(', ');

/** The names of spaces, pixels and tags, by their ids. */
type Known = Readonly<Record<'spaces' | 'pixels' | 'tags', ReadonlyMap<string, string>>>;

function targetsShown({ targetType: type, targets }: LinkFields): string {
  if (type === 'NONE') return '';
  const targetName = (key: string) => targetChoice(type, key)?.name ?? key;
  return filledTargets(targets[type])
    .map(({ key, url, typed }) => (type === 'ROTATION' ? url : texts.labelled(typed || targetName(key), url)))
    .join('\n');
}

/** Rules or tests in lines: without their words, by names and destinations. */
function rulesShown({ rules, ruleTests }: LinkFields, name: 'rules' | 'ruleTests'): string {
  const words = ruleWords.get();
  const told =
    name === 'rules'
      ? rules.map((rule) => texts.labelled(rule.name, words?.describeRule(rule) ?? ''))
      : ruleTests.map((test) => words?.describeTest(test) ?? test.expect.text);
  return told.join('\n');
}

function shown(fields: LinkFields, name: ShownName, { spaces, pixels, tags }: Known): string {
  const t = texts.form;
  if (name === 'targetType') return t.targetTypes[fields[name]];
  if (name === 'privacy') return t.privacies[fields[name]];
  if (name === 'forwardsQuery') return fields[name] ? t.yes : t.no;
  if (name === 'targets') return targetsShown(fields);
  if (name === 'rules' || name === 'ruleTests') return rulesShown(fields, name);
  if (name === 'pixelIds') return fields[name].map((id) => pixels.get(id) ?? t.unknownPixel).join(', ');
  if (name === 'tagIds') return fields[name].map((id) => tags.get(id) ?? texts.tags.unknown).join(', ');
  if (name === 'spaceId') return fields[name] && (spaces.get(fields[name]) ?? t.unknownSpace);
  return (name === 'expiresAt' || name === 'startsAt') && fields[name]
    ? atMoment(fields[name])
    : fields[name];
}

/** Fields in words, such as the name of a space. */
export function useShown(link: LinkWholeFragment): Shown {
  const { data } = useRead(ChoicesDocument, {});
  useRuleWords(link.rules.length > 0);
  const tags = useRead(TagChoicesDocument, {}).data?.tags.nodes ?? [];
  const listNames = (records: readonly { id: string; name: string }[]) =>
    new Map(records.map(({ id, name }) => [id, name]));
  const known: Known = {
    spaces: listNames([...(link.space ? [link.space] : []), ...(data?.spaces.nodes ?? [])]),
    tags: listNames([...link.tags, ...tags]),
    pixels: listNames([...link.pixels, ...(data?.pixels.nodes ?? [])]),
  };
  return (fields, name) => shown(fields, name, known) || texts.link.nothing;
}
