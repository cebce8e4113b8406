// LINKSPACE_URL=http://localhost:3000 LINKSPACE_KEY=… npx tsx examples/frontend/main.ts https://example.com/
import { Client } from './client.ts';
import { DashboardDocument, ShortenDocument } from './generated.ts';

const { LINKSPACE_URL = 'http://localhost:3000', LINKSPACE_KEY = '' } = process.env;
const [url = 'https://example.com/'] = process.argv.slice(2);
const client = new Client(LINKSPACE_URL, LINKSPACE_KEY);

const { createLink } = await client.run(ShortenDocument, { input: { url, title: 'From the example' } });
switch (createLink.__typename) {
  case 'Link':
    console.log(`Made ${createLink.shortUrl}`);
    break;
  case 'ValidationError':
    for (const { path, messages } of createLink.fields)
      console.log(`${path.join('.')} ${messages.join(', ')}`);
    process.exitCode = 1;
}

const { viewer, links } = await client.run(DashboardDocument, { search: 'example' });
console.log(`${viewer.account.name} has ${links.totalCount} such link(s):`);
for (const { node } of links.edges)
  console.log(`${node.shortUrl}  ${node.clicks} click(s)  ${node.space?.name ?? 'no space'}`);
