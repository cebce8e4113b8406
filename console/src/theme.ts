import { local } from './data/storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const KEPT = 'linkspace:theme';
/** The name under which GraphiQL on this host keeps its own. */
const GRAPHIQLS = 'graphiql:theme';
const DARK = '(prefers-color-scheme: dark)';

const dark: CSSMediaRule[] = [];

export function themeInUse(): Theme {
  const kept = local.get(KEPT);
  return themes.find((one) => one === kept) ?? 'system';
}

/** Applies the dark styles always, never, or as the system says. */
function apply(): void {
  const theme = themeInUse();
  for (const { media } of dark) media.mediaText = { system: DARK, light: 'not all', dark: 'all' }[theme];
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}

/** Sets the appearance for this browser, its other tabs included. */
export function chooseTheme(theme: Theme): void {
  for (const name of [KEPT, GRAPHIQLS])
    if (theme === 'system') local.remove(name);
    else local.set(name, theme);
  apply();
}

/** The style sheets are loaded: scripts wait for them. */
export function beginTheme(): void {
  for (const { cssRules } of document.styleSheets)
    for (const rule of cssRules)
      if (rule instanceof CSSMediaRule && rule.media.mediaText === DARK) dark.push(rule);
  apply();
  addEventListener('storage', ({ key }) => key === KEPT && apply());
}
