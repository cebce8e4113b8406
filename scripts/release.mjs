// npm run release -- X.Y.Z makes a release on main; npm run release -- --publish publishes its packages.
import { script } from './command.mjs';
import { makeRelease } from './release/make-release.mjs';
import { publishRelease } from './release/publish.mjs';
import { root } from './stamp.mjs';

const USAGE = `Usage: npm run release -- X.Y.Z      makes a release on main: a commit with a tag. Nothing is pushed.
       npm run release -- --publish  packs and publishes the packages of the release at main`;

const report = (line) => console.log(line);

await script(async () => {
  const [word, ...others] = process.argv.slice(2);
  if (word === undefined || others.length > 0) throw new Error(USAGE);
  if (word === '--publish') return publishRelease({ folder: root, report });
  if (word.startsWith('-')) throw new Error(USAGE);
  await makeRelease({ folder: root, version: word, day: new Date().toISOString().slice(0, 10), report });
  console.log(
    `${word} is released: main is at the tag v${word}. Push both by: git push --atomic origin main v${word}`,
  );
});
