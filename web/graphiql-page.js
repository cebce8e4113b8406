// Opens GraphiQL for whoever is signed in, and otherwise asks to sign in, or for a key, which stays in the memory of this page.
const find = (id) => document.getElementById(id);
const { graphiql: source } = document.currentScript.dataset;
const told = find('told');

/** Why a key is refused, for people; undefined if it is accepted. */
async function readRefusal(key) {
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
 * Returns GraphiQL's first tab: the query of the address, or else the tab that was open last. Without it, GraphiQL adds
 * an empty tab to the stored ones.
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
/** The signed-in user's session, and the id of the account that requests are for. */
let session = null;
let account = '';

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

/** Shows the caller and its account beside the brand. */
function showCaller() {
  const choice = find('account');
  choice.hidden = keyInUse !== '' || !(session?.accounts.length > 1);
  choice.replaceChildren(
    ...(session?.accounts ?? []).map(({ id, name }) => new Option(name, id, false, id === account)),
  );
  find('change').textContent = keyInUse === '' ? 'Use a key' : 'Change key';
}

async function start() {
  isOpen = true;
  const home = gate.querySelector('.brand').outerHTML;
  self.YogaGraphiQL.renderYogaGraphiQL(root, {
    logo: '',
    title: `${home}<select id="account" aria-label="Account" hidden></select><button type="button" id="change"></button>`,
    endpoint: '/graphql',
    additionalHeaders: () =>
      keyInUse === '' ? { 'X-Account': account } : { Authorization: `Bearer ${keyInUse}` },
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: false,
    ...firstTab(),
    // GraphiQL's default would put the whole query into the address bar.
    onEditQuery() {},
  });
  const editor = await queryEditor();
  showCaller();
  editor.updateOptions({ wordWrap: 'on' });
  const name = new URLSearchParams(location.search).get('operationName') ?? '';
  if (!/^\w+$/.test(name)) return;
  editor.focus();
  goTo(name);
}

/** Ends what runs for the caller before, and hides its answer. */
async function leaveAccount() {
  showCaller();
  document.querySelector('.graphiql-execute-button[aria-label^="Stop"]')?.click();
  for (const editor of self.monaco?.editor.getEditors() ?? [])
    if (editor.getDomNode()?.closest('.result-window')) editor.setValue('');
  (await queryEditor()).focus();
}

/** Opens GraphiQL with a key, or without one for who is signed in. */
async function open(key) {
  told.textContent = '';
  try {
    const [refusal] = await Promise.all([key && readRefusal(key), self.YogaGraphiQL ?? load()]);
    if (refusal) {
      told.textContent = refusal;
      return show(gate);
    }
  } catch {
    told.textContent = 'The service does not answer.';
    return show(gate);
  }
  const isOther = key !== keyInUse;
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
    if (target.id === 'go-on') open('');
    const item = target.closest('.graphiql-dropdown-item');
    if (item) goTo(item.textContent);
  },
  true,
);
addEventListener('change', ({ target }) => {
  if (target.id !== 'account') return;
  account = target.value;
  leaveAccount();
});

/** Finds out who is signed in; otherwise, whether there is a page to sign in. */
async function begin() {
  gate.hidden = true;
  const response = await fetch('/auth/session').catch(() => null);
  if (response?.ok) session = await response.json();
  if (session?.accounts.length > 0) {
    account = session.account.id;
    find('go-on').textContent = `Go on as ${session.user.name}`;
    find('go-on').hidden = false;
    return open('');
  }
  show(gate);
  find('key').focus();
  if (session) {
    const said = `You are signed in as ${session.user.name}, who is a member of no account: ask an owner for an invitation.`;
    find('session').textContent = said;
    return;
  }
  const signIn = `/console/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`;
  const page = await fetch(signIn, { method: 'HEAD' }).catch(() => null);
  find('sign-in').href = signIn;
  find('sign-in').hidden = !page?.ok;
}
begin();
