const isLink = (): boolean => /^\/console\/(welcome|accept|reset|confirm|undo)\b/i.test(location.pathname);

/** The token of the link that opened this page. It stays in no address and no history. */
export const tokenOfLink = isLink() ? location.hash.slice(1) : '';

if (tokenOfLink !== '') history.replaceState(history.state, '', location.pathname + location.search);
// Another link to the same page, in the same tab, does not load it again by itself.
addEventListener('hashchange', () => isLink() && location.hash.length > 1 && location.reload());
