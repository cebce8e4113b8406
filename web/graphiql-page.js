// Asks for a key, and opens GraphiQL with it. The key is kept in the state of this page in the tab's history, so that it survives a
// reload, and a way back.
const find = (id) => document.getElementById(id);
const { graphiql: source } = document.currentScript.dataset;
const told = find('told');

/** Why a key is refused, for people; undefined if it is accepted. */
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
 * The content of the tab that was open last. With it, GraphiQL returns to that tab; without it, GraphiQL opens an empty one
 * in addition to the stored ones.
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

async function open(key) {
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
  history.replaceState({ key }, '');
  const home = find('home').outerHTML;
  find('gate').remove();
  const root = find('graphiql');
  root.hidden = false;
  self.YogaGraphiQL.renderYogaGraphiQL(root, {
    logo: '',
    title: home,
    endpoint: '/graphql',
    additionalHeaders: { Authorization: `Bearer ${key}` },
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: false,
    defaultTabs: [{ query: find('examples').textContent }],
    ...lastTab(),
    // GraphiQL's default would put the whole query into the address bar.
    onEditQuery() {},
  });
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  open(find('key').value.trim());
});
const { key } = history.state ?? {};
if (key) open(key);
else find('key').focus();
