import { randomUUID } from 'node:crypto';
import { PendingVisits } from '../../../clicks/pending-visits.ts';
import { VisitWriter } from '../../../clicks/visit-writer.ts';
import { models } from '../../../db/copied.ts';
import type { Data } from '../../../db/database.ts';
import { type Day, dayOf, daysAfter, startOf } from '../../../db/statistics/calendar.ts';
import { deletePastVisitors, reopenDays } from '../../../db/statistics/statistics-retention.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { createLink } from '../../../domain/link/link.ts';
import { NO_RULES } from '../../../domain/rule/parse.ts';
import type { Services } from '../../../domain/services.ts';
import { createSpace } from '../../../domain/space.ts';
import { createTag } from '../../../domain/tag.ts';
import { decideRedirect } from '../../../domain/visit/decide-redirect.ts';
import type { Visitor } from '../../../domain/visit/visitor.ts';
import { OperatorError } from '../../../engine/tools/operator-error.ts';
import type { Link } from '../../../generated/sqlite/client.ts';
import { company, type DemoLink, demoLinks } from './company.ts';
import { pick, poisson, type Random, seededRandom } from './random.ts';

const YEAR = 365;
export const DAYS = 2 * YEAR;
/** Number of days that are written together. */
const DAYS_AT_ONCE = 7;
/** The number of people per visit of a day, from which visitors are drawn: some visit more than once. */
const PEOPLE = 2;

export interface DemoOptions {
  readonly now: Date;
  readonly random: Random;
  /** The share of visits, and the number of days before the end; all by default. */
  readonly scale?: number;
  readonly days?: number;
}

/** The expected number of clicks on a day, `since` days after the link was created. */
function expected({ daily, week, halfLife, season = 0 }: DemoLink, at: Date, since: number): number {
  // The maximum is at the beginning of June.
  const turn = (at.getUTCMonth() + at.getUTCDate() / 31 - 5) / 12;
  const ofSeason = 1 + 0.55 * season * Math.cos(2 * Math.PI * turn);
  const ofAge = 0.75 + (0.5 * since) / DAYS;
  const ofCampaign = halfLife === undefined ? 1 : 0.5 ** ((since % YEAR) / halfLife);
  return daily * (company.weekdays[week][at.getUTCDay()] ?? 1) * ofSeason * ofAge * ofCampaign;
}

async function makeLinks(
  db: Data,
  actor: Actor,
  services: Services,
  last: Day,
): Promise<{ link: Link; demo: DemoLink }[]> {
  const spaces = new Map<string, number>();
  const start = startOf(daysAfter(last, 1 - DAYS), 7);
  for (const [index, name] of company.spaces.entries())
    spaces.set(name, (await createSpace(db, actor, { name, color: index + 1 }, start)).id);
  const tags = new Map<string, string>();
  for (const [index, name] of Object.keys(company.tags).entries())
    tags.set(name, String((await createTag(db, actor, { name, color: index + 1 }, start)).id));
  const made = [];
  for (const demo of demoLinks.toSorted((one, other) => other.age - one.age)) {
    const { alias, title, path, space, age, more } = demo;
    const spaceId = spaces.get(space ?? '');
    const input = {
      url: `https://lindenhof.example${path}`,
      alias,
      title,
      ...more,
      spaceId: spaceId === undefined ? null : String(spaceId),
      tagIds: [...tags].flatMap(([name, id]) => (company.tags[name]?.includes(alias) ? [id] : [])),
    };
    const { id } = await createLink(db, actor, services, input, startOf(daysAfter(last, -age), 8));
    made.push({ link: await db.prisma.link.findUniqueOrThrow({ where: { id } }), demo });
  }
  return made;
}

const countryWeights = Object.fromEntries(
  Object.entries(company.countries).map(([country, { weight }]) => [country, weight]),
);

/** A visit by one of some people. A person's number determines all of its properties, so people can visit again. */
function demoVisit(
  { source, week }: Pick<DemoLink, 'source' | 'week'>,
  people: { readonly first: number; readonly count: number },
  random: Random,
) {
  const { userAgents, phones, countries, referrers, hours } = company;
  const hour = Number(pick(Object.fromEntries(hours[week].entries()), random));
  const isProgram = random() < 0.07;
  const person = people.first + Math.floor(random() * people.count);
  const address = `10.${(person >> 16) % 256}.${(person >> 8) % 256}.${person % 256}`;
  const own = seededRandom(person);
  const country = pick(countryWeights, own);
  const userAgent = pick(own() < phones[source] ? userAgents.phone : userAgents.desk, own);
  const visitor: Visitor = {
    country: country === '' ? null : country,
    userAgent: isProgram ? pick(userAgents.program, random) : userAgent,
    platformHint: null,
    acceptLanguage: pick(countries[country]?.languages ?? {}, own),
    optedOut: own() < 0.03,
    passwordGiven: true,
    counts: !isProgram,
    query: '',
  };
  return { hour, visitor, address, referrer: pick(referrers[source], random) };
}

/** Adds the visits of one day of a link, none of them after `end`. */
function addVisits(
  visits: PendingVisits,
  link: Link,
  demo: DemoLink,
  day: Day,
  { now: end, random, scale = 1 }: DemoOptions,
): number {
  const since = (startOf(day).getTime() - startOf(dayOf(link.createdAt)).getTime()) / 86_400_000;
  if (since < 0) return 0;
  const mood = 0.85 + 0.3 * random();
  const count = poisson(expected(demo, startOf(day), since) * mood * scale, random);
  // Visits from before a link was disabled count normally.
  const visited = { ...link, disabled: false, clicks: 0, position: 0, pixels: [], rules: NO_RULES };
  const people = { first: Math.floor(random() * 1e7), count: Math.max(1, Math.round(count * PEOPLE)) };
  let clicks = 0;
  for (let i = 0; i < count; i++) {
    const { hour, ...visit } = demoVisit(demo, people, random);
    const at = new Date(startOf(day, hour).getTime() + Math.floor(random() * 3_600_000));
    if (at >= end) continue;
    const { target = link.url } = decideRedirect(visited, visit.visitor, at, { blocked: false, hosts: [] });
    visits.add({ ...visit, link, at, destination: target, alreadyCounted: null });
    if (visit.visitor.counts) clicks++;
  }
  return clicks;
}

/** @throws OperatorError if the database has links */
export async function requireNoLinks(db: Data): Promise<void> {
  if ((await db.prisma.link.findFirst({ select: { id: true } })) !== null)
    throw new OperatorError('The database has links already: the demo is for an empty one.');
}

/**
 * Fills an empty database with two years of a small company: spaces, tags, links and statistics. It is deterministic, given the time
 * and the random numbers.
 * @throws OperatorError if the database has links
 */
export async function fillDemo(db: Data, actor: Actor, services: Services, options: DemoOptions) {
  await requireNoLinks(db);
  const last = dayOf(options.now);
  const first = daysAfter(last, 1 - (options.days ?? DAYS));
  const links = await makeLinks(db, actor, services, last);
  await reopenDays(db, first);
  const writer = new VisitWriter(db);
  const processId = randomUUID();
  let clicks = 0;
  for (let day = first, number = 1; day <= last; number++) {
    const visits = new PendingVisits();
    for (let i = 0; i < DAYS_AT_ONCE && day <= last; i++, day = daysAfter(day, 1))
      for (const { link, demo } of links) clicks += addVisits(visits, link, demo, day, options);
    await writer.write(visits.take(links.length), { processId, number });
    // As the service does at the end of a day.
    while ((await deletePastVisitors(db, daysAfter(day, -1))).more);
  }
  await db.database.analyze(models);
  return { spaces: company.spaces.length, links: links.length, clicks };
}
