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
  self.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => workers[label] };
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = source;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

/**
 * What GraphiQL opens: the query of the address, or else the tab that was open last. Without that, it would open an empty tab in
 * addition to the stored ones.
 */
function firstTab() {
  const asked = new URLSearchParams(location.search);
  const query = asked.get('query');
  if (query) return { query, variables: asked.get('variables') ?? undefined, defaultTabs: [{ query }] };
  const defaultTabs = [{ query: find('examples').textContent }];
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables } = tabs[activeTabIndex];
    return { query: query ?? undefined, variables: variables ?? undefined, defaultTabs };
  } catch {
    return { defaultTabs };
  }
}

const gate = find('gate');
const root = find('graphiql');
let isOpen = false;
let keyInUse = '';

function show(part) {
  gate.hidden = part !== gate;
  root.hidden = part !== root;
}

/** The editor of queries, once GraphiQL has made it. */
async function queryEditor() {
  for (;;) {
    const editors = self.monaco?.editor.getEditors() ?? [];
    const editor = editors.find((one) => one.getModel()?.getLanguageId() === 'graphql');
    if (editor) return editor;
    await new Promise(requestAnimationFrame);
  }
}

/** Moves to an operation of the editor, which is then the one that its shortcut runs. */
async function goTo(name) {
  const editor = await queryEditor();
  const lines = editor.getValue().split('\n');
  const line = lines.findIndex((text) =>
    new RegExp(`^\\s*(query|mutation|subscription)\\s+${name}\\b`).test(text),
  );
  if (line < 0) return;
  editor.setPosition({ lineNumber: line + 1, column: 1 });
  editor.revealLineNearTop(line + 1);
}

async function start() {
  isOpen = true;
  const home = gate.querySelector('.brand').outerHTML;
  self.YogaGraphiQL.renderYogaGraphiQL(root, {
    logo: '',
    title: `${home}<button type="button" id="change">Change key</button>`,
    endpoint: '/graphql',
    additionalHeaders: () => ({ Authorization: `Bearer ${keyInUse}` }),
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: false,
    ...firstTab(),
    // GraphiQL's default would put the whole query into the address bar.
    onEditQuery() {},
  });
  const editor = await queryEditor();
  editor.updateOptions({ wordWrap: 'on' });
  const name = new URLSearchParams(location.search).get('operationName') ?? '';
  if (!/^\w+$/.test(name)) return;
  editor.focus();
  goTo(name);
}

/** Ends what runs with the key before, and hides its answer. */
async function leaveAccount() {
  document.querySelector('.graphiql-execute-button[aria-label^="Stop"]')?.click();
  for (const editor of self.monaco?.editor.getEditors() ?? [])
    if (editor.getDomNode()?.closest('.result-window')) editor.setValue('');
  (await queryEditor()).focus();
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
  const isOther = key !== keyInUse;
  history.replaceState({ key }, '');
  keyInUse = key;
  find('key').value = '';
  show(root);
  if (!isOpen) start();
  else if (isOther) leaveAccount();
  else find('change').focus();
}

/** Leaves the form without another key. */
function cancel() {
  told.textContent = '';
  find('key').value = '';
  show(root);
  find('change').focus();
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  open(find('key').value.trim());
});
find('cancel').addEventListener('click', cancel);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && isOpen && !gate.hidden) cancel();
});
addEventListener(
  'click',
  ({ target }) => {
    if (target.id === 'change') {
      find('cancel').hidden = false;
      show(gate);
      find('key').focus();
    }
    const item = target.closest('.graphiql-dropdown-item');
    if (item) goTo(item.textContent);
  },
  true,
);
const { key } = history.state ?? {};
if (key) open(key);
else find('key').focus();
