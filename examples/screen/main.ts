// LINKSPACE_URL=http://localhost:3000 LINKSPACE_KEY=… npx tsx examples/screen/main.ts apollo
import type { Options, Screen } from './screen.ts';

const { LINKSPACE_URL = 'http://localhost:3000', LINKSPACE_KEY = '' } = process.env;
const screens: Readonly<Record<string, () => Promise<{ openScreen(options: Options): Promise<Screen> }>>> = {
  apollo: () => import('./apollo.ts'),
  urql: () => import('./urql.ts'),
  relay: () => import('./relay.ts'),
};

const [name = 'apollo'] = process.argv.slice(2);
const load = screens[name];
if (!load) throw new Error(`"${name}" is not a screen; use ${Object.keys(screens).join(', ')}.`);
const { openScreen } = await load();
const headers = { Authorization: `Bearer ${LINKSPACE_KEY}` };
const screen = await openScreen({ url: `${LINKSPACE_URL}/graphql`, headers, pageSize: 10, fetch });

function show(what: string): void {
  const titles = screen.rows().map(({ title }) => title ?? 'untitled');
  console.log(`${what}: ${titles.join(', ') || 'no links'}`);
}

show('At first');
await screen.create('https://example.com/', 'From a screen');
show('With a new link');
const [made] = screen.rows();
if (!made) throw new Error('The new link is not shown.');
await screen.rename(made, 'Renamed');
show('Renamed');
const [renamed] = screen.rows();
if (renamed) await screen.remove(renamed);
show('At the end');
