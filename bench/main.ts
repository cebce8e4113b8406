// npm run bench -- [CASE] [options]: runs one case, by default speed. docs/benchmarks.md has the options of each.
const cases = [
  'speed',
  'live',
  'flags',
  'orders',
  'statistics',
  'overview',
  'refusals',
  'stalls',
  'spread',
  'zipf',
  'timing',
  'soak',
  'webhooks',
];

const [first = ''] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const name = isNamed ? first : 'speed';
if (isNamed) process.argv.splice(2, 1);
if (cases.includes(name)) await import(`./${name}.ts`);
else {
  console.error(`There is no case "${name}": choose ${cases.join(', ')}.`);
  process.exitCode = 1;
}
