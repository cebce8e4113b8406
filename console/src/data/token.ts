const isLink = /^\/console\/(welcome|accept|reset|confirm)\b/i.test(location.pathname);

/** The token of the link that opened this page. It stays in no address and no history. */
export const tokenOfLink = isLink ? location.hash.slice(1) : '';

if (tokenOfLink !== '') history.replaceState(history.state, '', location.pathname + location.search);
