// PostGraphile on the benchmark's database, if it is installed in a folder of its own (npm i node@24 postgraphile@5).
//   FOLDER/node_modules/.bin/node bench/postgraphile.mjs FOLDER DATABASE_URL
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder, connectionString] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'package.json'));
const { postgraphile } = require('postgraphile');
const { PostGraphileAmberPreset } = require('postgraphile/presets/amber');
const { makePgService } = require('postgraphile/adaptors/pg');
const { grafserv } = require('postgraphile/grafserv/node');

const served = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false },
}).createServ(grafserv);
const server = createServer();
await served.addTo(server);
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }));
});
