// Prints the short URLs of a Shlink server, and their redirect rules. The server is the argument, the key is SHLINK_API_KEY.
const [, , server = ''] = process.argv;
const headers = { 'X-Api-Key': process.env.SHLINK_API_KEY ?? '' };

async function get(path) {
  const answer = await fetch(`${server.replace(/\/$/, '')}/rest/v3/short-urls${path}`, { headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const data = [];
for (let page = 1, pages = 1; page <= pages; page++) {
  const { shortUrls } = await get(`?page=${page}&itemsPerPage=100`);
  data.push(...shortUrls.data);
  pages = shortUrls.pagination.pagesCount;
}

const redirectRules = [];
for (const { shortCode, domain, hasRedirectRules } of data) {
  if (!hasRedirectRules) continue;
  const query = domain ? `?domain=${encodeURIComponent(domain)}` : '';
  const rules = await get(`/${encodeURIComponent(shortCode)}/redirect-rules${query}`);
  redirectRules.push({ shortCode, domain, redirectRules: rules.redirectRules });
}

process.stdout.write(JSON.stringify({ shortUrls: { data }, redirectRules }));
