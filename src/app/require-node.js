// Ends the process on a Node that is too old, which would fail later without a clear message. It is JavaScript, and imported
// first, so that such a Node can run it before anything else is loaded.
import { readFileSync } from 'node:fs';

const { engines, private: isClone } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
const [, major, minor] = /(\d+)\.(\d+)/.exec(engines.node).map(Number);
const [currentMajor, currentMinor] = process.versions.node.split('.').map(Number);
if (currentMajor < major || (currentMajor === major && currentMinor < minor)) {
  process.stderr.write(
    `Linkspace needs Node ${major}.${minor} or later, and this is ${process.version}: install one${
      isClone ? ', or run "npm ci" without --omit=optional, which brings one' : ''
    }.\n`,
  );
  process.exit(1);
}
