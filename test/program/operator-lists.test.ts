import { expect, test } from 'vitest';
import { OperatorLists, parseBlockedHosts, parseReservedAliases } from '../../src/domain/link/blocklists.ts';

async function listsOf(hosts: string, aliases = ''): Promise<OperatorLists> {
  const lists = new OperatorLists();
  lists.setBlockedHosts(await parseBlockedHosts(hosts));
  lists.setReservedAliases(await parseReservedAliases(aliases));
  return lists;
}

test.each([
  ['bad.example', 'https://bad.example/x', true],
  ['bad.example', 'http://BAD.example.:8080/x?y#z', true],
  ['BAD.example.', 'https://bad.example/', true],
  ['bad.example', 'https://good@bad.example/', true],
  ['bad.example', 'https://bad.example@good.example/', false],
  ['bad.example', 'https://www.bad.example/', false],
  ['bad.example', 'https://notbad.example/', false],
  ['*.bad.example', 'https://a.b.bad.example/', true],
  ['*.bad.example', 'https://bad.example/', false],
  ['*.bad.example', 'https://notbad.example/', false],
  ['*.example', 'https://any.example/', true],
  ['bücher.example', 'https://xn--bcher-kva.example/', true],
  ['xn--bcher-kva.example', 'https://BÜCHER.example/', true],
  ['bad.example', 'https://%62ad.example/', true],
  ['bad.example', 'https://ｂａｄ.example/', true],
  ['192.0.2.1', 'http://3221225985/', true],
  ['192.0.2.1', 'http://0xc0.0.2.1/', true],
  ['192.0.2.1', 'http://0300.0.513/', true],
  ['192.0.2.1', 'http://[::ffff:192.0.2.1]/', true],
  ['0xc0000201', 'http://192.0.2.1./', true],
  ['2001:db8::1', 'http://[2001:DB8:0:0::1]:81/', true],
  ['[2001:db8::1]', 'http://[2001:db8::1]/', true],
  ['::ffff:192.0.2.1', 'http://192.0.2.1/', true],
  ['192.0.2.1', 'http://192.0.2.11/', false],
  ['# bad.example', 'https://bad.example/', false],
  ['\uFEFF\r\n  bad.example # since May\r\n', 'https://bad.example/', true],
])('with the list %j, %s is blocked: %s', async (text, address, blocked) => {
  expect((await listsOf(text)).blocksAddress(address)).toBe(blocked);
});

test('reports lines that are not hosts with their numbers, and uses the others', async () => {
  const text =
    'https://bad.example/\nbad.example\nbad.example:8080\n*\n*.192.0.2.1\n\na b\nno#comment\na..b\n.a\na..';
  const { entries, wrong } = await parseBlockedHosts(text);
  expect([...entries]).toEqual(['bad.example', 'no']);
  expect(wrong.map(({ line }) => line)).toEqual([1, 3, 4, 5, 7, 9, 10, 11]);
});

test('looks up hosts fast in a list of hundreds of thousands', async () => {
  const lists = await listsOf(
    Array.from({ length: 200_000 }, (_, index) => `h${index}.bad.example`).join('\n'),
  );
  expect(lists.blocksAddress('https://h199999.bad.example/')).toBe(true);
  expect(lists.blocksAddress(`https://${'a.'.repeat(120)}example/`)).toBe(false);
});

test('reserves aliases in any case', async () => {
  const lists = await listsOf('', 'Admin\nlog in\nlogin');
  expect(['admin', 'ADMIN', 'login', 'log', 'administrator'].map((one) => lists.reserves(one))).toEqual([
    ...[true, true, true, false, false],
  ]);
});
