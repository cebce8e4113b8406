// Asks for a key, and opens GraphiQL with it. The key lives in this page alone: pixels of links may run scripts of others on
// this same origin, which can read all that a browser keeps for it.
const find = (id) => document.getElementById(id);
const { graphiql: source } = document.currentScript.dataset;
const told = find('told');

/** What is wrong with a key, for people; undefined where it opens the interface. */
async function refusalOf(key) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: '{ viewer { key { prefix } } }' }),
  });
  if (response.ok) return undefined;
  if (response.status === 401) return 'This key is unknown, revoked or expired.';
  if (response.status === 403) return 'This key may not read.';
  if (response.status === 429) return 'Too many attempts. Please wait a minute.';
  return 'The service is not available just now.';
}

function load() {
  const workers = JSON.parse(find('workers').textContent);
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = source;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

/**
 * What the tab held that was open last. GraphiQL finds its way back to it by these; without them it opens an empty one beside
 * those that it kept.
 */
function lastTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables } = tabs[activeTabIndex];
    return { query: query ?? undefined, variables: variables ?? undefined };
  } catch {
    return {};
  }
}

find('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const key = find('key').value.trim();
  told.textContent = '';
  try {
    const [refusal] = await Promise.all([refusalOf(key), self.YogaGraphiQL ?? load()]);
    if (refusal) {
      told.textContent = refusal;
      return;
    }
  } catch {
    told.textContent = 'The service does not answer.';
    return;
  }
  find('gate').remove();
  const root = find('graphiql');
  root.hidden = false;
  self.YogaGraphiQL.renderYogaGraphiQL(root, {
    title: 'Linkspace',
    endpoint: '/graphql',
    additionalHeaders: { Authorization: `Bearer ${key}` },
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: false,
    defaultTabs: [{ query: find('examples').textContent }],
    ...lastTab(),
    // It would put the whole text into the address.
    onEditQuery() {},
  });
});
