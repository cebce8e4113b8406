import { useLocation } from 'wouter';
import type { MenuItem } from '../../controls/menu-item.tsx';
import { type Reading, useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { LinkDocument, SpacesNamedDocument, TagsNamedDocument } from '../../generated/documents.ts';
import { addressText } from '../../parts/address.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { linkActions } from '../../views/links/link-actions.ts';
import { parseState } from '../../views/links/links-state.ts';
import { useLinks } from '../../views/links/use-links.ts';
import { shortUrlText } from '../../words/format.ts';
import { accountItems } from '../account-menu.tsx';
import { places } from '../places.tsx';
import { LAST, noteWith, rank } from './ranking.ts';

/** An entry of the quick search. */
export interface Command extends MenuItem {
  readonly id: string;
  /** Words beside its name, which find it, too. */
  readonly note?: string | undefined;
  /** Other words that find it, each as a whole. */
  readonly words?: string;
  /** The colour of a space or tag. */
  readonly color?: number;
}

export interface CommandGroup {
  readonly name: string;
  readonly commands: readonly Command[];
}

/** The most links, and the most spaces and tags, that a search shows. */
const MAX_LINKS = 7;
/** The links that a search ranks. */
const RANKED = 50;
const MAX_OTHERS = 5;

/** The last commands of each person in an account that led somewhere, by their session. */
const recent = new Map<string, readonly Command[]>();

const invite = { id: 'invite', name: settingsTexts.people.invite, icon: 'people' } as const;

/** A URL with its scheme and nothing else. Without one, a text may also be a part of a link that is looked for. */
const WITH_SCHEME = /^https?:\/\/\S+$/i;

export interface Deeds {
  /** Begins a link, to a URL if it is known. */
  onNew(url?: string): void;
  onHelp(): void;
  onQr(shortUrl: string): void;
}

/** The commands for a text, in groups; for none, the last ones and links come first. */
export function useCommands(
  text: string,
  linkId: string | null,
  { onNew, onHelp, onQr }: Deeds,
): Pick<Reading<unknown>, 'fault' | 'again' | 'isLoading'> & { readonly groups: readonly CommandGroup[] } {
  const session = useSession();
  const { accountId, viewer, may, canWrite } = session;
  const [, navigate] = useLocation();
  const search = text.trim();
  const pause = search === '';
  const found = useLinks({ ...parseState(''), search }, pause ? MAX_LINKS : RANKED);
  const spaces = useRead(SpacesNamedDocument, { search }, { pause });
  const tags = useRead(TagsNamedDocument, { search }, { pause });
  const atHand = useRead(LinkDocument, { id: linkId ?? '' }, { pause: linkId === null });
  const own = `${viewer.user?.id} ${accountId}`;
  const last = recent.get(own) ?? [];
  const t = settingsTexts.palette;
  const ranked = (
    name: string,
    commands: readonly Command[],
    { most = commands.length, others = -1 } = {},
  ): CommandGroup & { best: number } => {
    const all = commands
      .map((command) => ({ command, at: rank(search, command) ?? others }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at);
    return { name, best: all[0]?.at ?? LAST, commands: all.slice(0, most).map(({ command }) => command) };
  };
  const going = (command: Omit<Command, 'run'> & { readonly path: string }): Command => {
    const kept: Command = {
      ...command,
      run: () => {
        const others = (recent.get(own) ?? []).filter(({ id }) => id !== kept.id);
        recent.set(own, [kept, ...others].slice(0, MAX_OTHERS));
        navigate(command.path);
      },
    };
    return kept;
  };
  const named = (kind: 'space' | 'tag', nodes: readonly { id: string; name: string; color: number }[] = []) =>
    nodes.slice(0, MAX_OTHERS).map(({ id, name, color }) =>
      going({
        ...{ id: `${kind} ${id}`, name, color },
        path: `/links?${kind === 'space' ? 'space' : 'tags'}=${id}`,
      }),
    );
  const link = linkId === null ? null : atHand.data?.link;
  const ofLink = link
    ? linkActions(link, { session, query: '', navigate, onQr: () => onQr(link.shortUrl) }).map(
        (action): Command => ({ ...action, id: `link ${action.id}` }),
      )
    : [];
  const acts: Command[] = [
    ...(canWrite
      ? [
          {
            ...{ id: 'new', name: texts.newLink.title, words: t.newWords },
            ...({ icon: 'plus', shortcut: 'n' } as const),
            run: () => onNew(),
          },
        ]
      : []),
    ...(canWrite ? [going({ id: 'many', name: texts.many.title, icon: 'import', path: '/many' })] : []),
    ...(may('PEOPLE') ? [{ ...invite, run: () => navigate('/people', { state: { isNew: true } }) }] : []),
  ];
  const ofUrl: Command[] =
    canWrite && WITH_SCHEME.test(search)
      ? [{ id: 'url', name: texts.newLink.create, note: search, icon: 'plus', run: () => onNew(search) }]
      : [];
  const account: Command[] = [
    ...accountItems(session, navigate).map((item): Command => {
      const { id = item.name } = item;
      const note = id.startsWith('theme')
        ? texts.theme.name
        : id.startsWith('account')
          ? t.switch
          : undefined;
      return { ...item, id, note };
    }),
    { id: 'help', name: texts.help.title, icon: 'keyboard', shortcut: '?', run: onHelp },
  ];
  const links = (found.nodes ?? []).map(({ id, shortUrl, title, url, space, tags }) => {
    const name = shortUrlText(shortUrl);
    const others = [addressText(url), ...[...(space ? [space] : []), ...tags].map((one) => one.name)];
    const note = noteWith(search, { name, note: title ?? addressText(url) }, others);
    return going({ id: `to ${id}`, name, note, icon: 'link', path: `/links/${id}` });
  });
  const views = places.map(({ path, name, icon }) =>
    going({ id: path, name, icon, path, ...(path === '/overview' && { words: texts.links.statistics }) }),
  );
  const all: readonly CommandGroup[] = pause
    ? [
        { name: t.recent, commands: last.map((one) => ({ ...one, id: `recent ${one.id}` })) },
        { name: link ? shortUrlText(link.shortUrl) : '', commands: ofLink },
        { name: t.actions, commands: acts },
        { name: t.newest, commands: links.filter(({ id }) => last.every((one) => one.id !== id)) },
        { name: t.views, commands: views },
        { name: texts.account.menu, commands: account },
      ]
    : [
        { name: t.actions, commands: ofUrl },
        // The best group first; of equals, in this order.
        ...[
          ranked(link ? shortUrlText(link.shortUrl) : '', ofLink),
          ranked(t.actions, acts),
          ranked(t.views, views),
          ranked(texts.account.menu, account),
          ranked(texts.places.links, links, { most: MAX_LINKS, others: LAST }),
          ranked(texts.places.spaces, named('space', spaces.data?.spaces.nodes), { others: LAST }),
          ranked(texts.tags.title, named('tag', tags.data?.tags.nodes), { others: LAST }),
        ].sort((one, other) => one.best - other.best),
      ];
  return {
    ...{ fault: found.fault, again: found.again },
    groups: all.filter(({ commands }) => commands.length > 0),
    isLoading:
      found.isLoading ||
      (atHand.isLoading && link === undefined) ||
      (!pause && (spaces.isLoading || tags.isLoading)),
  };
}
