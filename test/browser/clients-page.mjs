// A page with the list of the example `screen`, whose client is in the address: /#apollo
import * as apollo from '../../examples/screen/apollo.ts';
import * as relay from '../../examples/screen/relay.ts';
import * as urql from '../../examples/screen/urql.ts';

document.body.innerHTML = '<input aria-label="Note"><button>More</button><ul></ul>';
const [, name] = location.hash.split('#');
const screen = await { apollo, relay, urql }[name].openScreen({
  url: `${location.origin}/graphql`,
  headers: {},
  pageSize: 20,
  fetch: (...sent) => fetch(...sent),
  pause: () => 20,
});
screen.follow();
document.querySelector('button').onclick = () => screen.loadMore();

/** The numbers of rows that were shown, in order. */
window.lengths = [];
let before = '';
function render() {
  const rows = screen.rows();
  const text = JSON.stringify(rows);
  if (text !== before) {
    window.lengths.push(rows.length);
    const items = rows.map(({ title }) =>
      Object.assign(document.createElement('li'), { textContent: title }),
    );
    document.querySelector('ul').replaceChildren(...items);
  }
  before = text;
  requestAnimationFrame(render);
}
render();
