// The search of the guides. Its index is loaded when somebody begins to use it.
const MAX_HITS = 12;
const field = document.getElementById('search');
const list = document.getElementById('hits');
const told = document.getElementById('told');
let index;

const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

async function load() {
  index ??= fetch(field.dataset.index)
    .then((answer) => answer.json())
    .then((sections) =>
      sections.map((one) => ({ ...one, head: fold(`${one.guide} ${one.heading}`), all: fold(one.text) })),
    )
    .catch(() => {
      index = undefined;
      return null;
    });
  return index;
}

/** Returns the sections that have all words, those with more of them in their headings first. */
function find(sections, words) {
  const rate = ({ head }) => words.filter((word) => head.includes(word)).length;
  return sections
    .filter(({ head, all }) => words.every((word) => head.includes(word) || all.includes(word)))
    .map((one, place) => ({ one, place, rate: rate(one) }))
    .sort((a, b) => b.rate - a.rate || a.place - b.place)
    .map(({ one }) => one);
}

/** Returns the text around the first word. */
function excerpt({ text, all }, [word]) {
  const at = Math.max(0, all.indexOf(word) - 60);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 160)}${text.length > at + 160 ? '…' : ''}`;
}

function show(hit, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = hit.address;
  const name = document.createElement('b');
  name.textContent = hit.guide === hit.heading ? hit.guide : `${hit.guide}: ${hit.heading}`;
  const text = document.createElement('span');
  text.textContent = excerpt(hit, words);
  link.append(name, text);
  item.append(link);
  return item;
}

async function search() {
  const asked = field.value;
  const words = fold(asked).split(/\s+/).filter(Boolean);
  const sections = words.length > 0 ? await load() : [];
  if (asked !== field.value) return;
  const hits = sections ? find(sections, words) : [];
  list.replaceChildren(...(words.length > 0 ? hits.slice(0, MAX_HITS).map((hit) => show(hit, words)) : []));
  list.hidden = list.children.length === 0;
  if (sections === null) told.textContent = 'The search could not be loaded.';
  else if (words.length === 0) told.textContent = '';
  else told.textContent = hits.length === 1 ? '1 section' : `${hits.length} sections`;
}

field.addEventListener('focus', load, { once: true });
field.addEventListener('input', search);
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  field.value = '';
  search();
});
list.addEventListener('click', () => {
  list.hidden = true;
});
