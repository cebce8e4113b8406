// Builds what is missing, then runs one of dist's programs in this same process, so that signals reach it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

const [program] = process.argv.splice(2, 1);
await script(() => build({ ifStale: true }));
await import(pathToFileURL(join(root, 'dist', `${program}.js`)).href);
