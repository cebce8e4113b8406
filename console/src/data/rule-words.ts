import { ruleTexts } from '../rule-texts.ts';
import { texts } from '../texts.ts';
import {
  asShare,
  atMoment,
  countryName,
  INCOMPLETE,
  inLine,
  languageName,
  timeZone as localZone,
  onDay,
  toLocalInput,
} from '../words/format.ts';
import { agents, type ExampleDevice, exampleDevices } from './agents.ts';
import { shareOf } from './rule-edits.ts';
import {
  type ConditionField,
  type ConditionKind,
  enteredValues,
  type RuleField,
  type RuleTestField,
  weekdays,
} from './rule-fields.ts';

/** The most values of a condition that its chip has. */
const MAX_SHOWN = 4;

const named = (names: Readonly<Partial<Record<string, string>>>, value: string): string =>
  names[value] ?? value;

/** The name of a value of a condition, such as of a country. */
export function valueName(kind: ConditionKind, value: string): string {
  if (kind === 'country') return countryName(value);
  if (kind === 'language') return languageName(value);
  if (kind === 'platform') return named(texts.platforms, value);
  return kind === 'device' ? named(ruleTexts.devices, value) : value;
}

/** The name of a day of the week. */
export const dayName = (day: string): string => named(ruleTexts.weekdays, day);

function listValues(condition: ConditionField): string {
  const t = ruleTexts;
  const values = enteredValues(condition).map((value) => valueName(condition.kind, value) || '“”');
  if (values.length === 0) return t.noneChosen;
  const rest = values.length - MAX_SHOWN;
  const told = values.slice(0, MAX_SHOWN).join(', ') + (rest > 0 ? `, ${t.andMore(rest)}` : '');
  return condition.is === 'notIn' ? t.not(told) : told;
}

/** A time; of midnight, the day alone. */
const atTimeOrDay = (iso: string): string => (toLocalInput(iso).endsWith('T00:00') ? onDay : atMoment)(iso);

function describePeriod(
  { from, until }: Pick<ConditionField, 'from' | 'until'>,
  tell: (iso: string) => string = atTimeOrDay,
): string {
  const t = ruleTexts;
  const [first, last] = [from, until].map((time) => (time === '' || time === INCOMPLETE ? '' : tell(time)));
  if (!first && !last) return t.noneChosen;
  return first && last ? t.between(first, last) : first ? t.fromTime(first) : t.untilTime(last ?? '');
}

function describeHours({ days, starts, ends, timeZone }: ConditionField): string {
  const t = ruleTexts;
  const listed = weekdays.filter((day) => days.includes(day)).map(dayName);
  const hours = starts === '' && ends === '' ? t.allDay : `${starts || '00:00'}–${ends || '24:00'}`;
  return `${listed.join(', ') || t.everyDay}, ${hours} (${timeZone || '?'})`;
}

/** A condition in words, as its chip has it. */
export function describeCondition(condition: ConditionField): string {
  const t = ruleTexts;
  const { kind, is, name } = condition;
  if (kind === 'time') return t.listed(t.kinds.time, `${describePeriod(condition, atMoment)} (${localZone})`);
  if (kind === 'hours') return t.listed(t.kinds.hours, describeHours(condition));
  if (kind !== 'query') return t.listed(t.kinds[kind], listValues(condition));
  const parameter = t.parameterOf(name);
  if (is === 'exists') return t.listed(parameter, t.isThere);
  return t.listed(parameter, is === 'absent' ? t.isMissing : listValues(condition));
}

/** The conditions of a rule in a line, and where it leads. */
export function describeRule({ when, to }: RuleField): string {
  const who = when.length === 0 ? ruleTexts.everybody : when.map(describeCondition).join(' · ');
  const targets = to.map((target) =>
    to.length === 1 ? target.url : `${asShare(shareOf(to, target))} ${target.url}`,
  );
  return `${who} → ${targets.join(', ')}`;
}

/** A rule's or target's name that people gave it; empty for one by its id. */
export const ownName = ({ id, name }: Pick<RuleField, 'id' | 'name'>): string =>
  new RegExp(`^(Rule|Target) ${id || '\\d+'}$`).test(name) ? '' : name;

/** The name of a target: that which people gave it, or else its destination. */
export const targetName = (target: Pick<RuleField, 'id' | 'name'> & { readonly url: string }): string =>
  ownName(target) || inLine(target.url) || '?';

/** A condition without its kind, where its values say it. */
function describePlainly(condition: ConditionField): string {
  const { kind, is, from, until } = condition;
  if (kind === 'time') return describePeriod({ from, until });
  const isPlain = is === 'in' && ['platform', 'device', 'browser', 'country', 'language'].includes(kind);
  return isPlain ? listValues(condition) : describeCondition(condition);
}

/** The visitors of a rule in words, such as “iOS in Germany, before 1 Dec 2026”. */
export function describeVisitors(when: readonly ConditionField[]): string {
  const t = ruleTexts;
  if (when.length === 0) return t.everybody;
  const country = when.find(({ kind, is }) => kind === 'country' && is === 'in');
  const things = ['platform', 'device', 'browser'];
  const first = when.filter(({ kind, is }) => is === 'in' && things.includes(kind));
  const who = first.map(describePlainly).join(', ');
  const start = country ? t.whoIn(who, describePlainly(country)) : who;
  const others = when.filter((one) => one !== country && !first.includes(one)).map(describePlainly);
  return [start, ...others].filter(Boolean).join(', ');
}

/** The visitors of a rule in a short line, and where it leads. */
export function summarizeRule({ when, to }: Pick<RuleField, 'when' | 'to'>): string {
  const targets = to.map((target) => {
    const name = targetName(target);
    return to.length === 1 ? name : `${name}\u00a0${asShare(shareOf(to, target))}`;
  });
  return `${describeVisitors(when)} → ${targets.join(', ')}`;
}

/** The first language of an Accept-Language text, by its name. */
const firstLanguage = (text: string): string => languageName(text.split(/[,;]/, 1)[0] ?? text);

const exampleOf = (agent: string): ExampleDevice | undefined =>
  exampleDevices.find((device) => agents[device] === agent);

/** The visitor of a test in words. */
export function describeVisitor({ visitor }: RuleTestField): string {
  const { country, language, userAgent, platform, device, browser, query, referrer, at } = visitor;
  const t = ruleTexts;
  const example = exampleOf(userAgent);
  const facts = [
    country && countryName(country),
    language && firstLanguage(language),
    example ? texts.explain.devices[example] : userAgent,
    platform && named(texts.platforms, platform),
    device && named(t.devices, device),
    browser,
    query && `?${query}`,
    referrer && t.fact(t.kinds.referrer, referrer),
  ].filter(Boolean);
  // The service gives a test without a time that of saving.
  const time = at === '' ? t.atSaving : at !== INCOMPLETE && atMoment(at);
  return [...(facts.length > 0 ? facts : [t.anyVisitor]), time].filter(Boolean).join(', ');
}

function describeExpected({ is, text }: RuleTestField['expect']): string {
  const t = ruleTexts;
  if (is === 'rule') return t.expectsRule(text);
  if (is === 'url') return text;
  return is === 'noRule' ? t.expectsNoRule : t.expectsAnyRule;
}

/** A test in words. */
export const describeTest = (test: RuleTestField): string =>
  ruleTexts.test(describeVisitor(test), describeExpected(test.expect));
