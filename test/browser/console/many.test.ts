import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { chooseForSelected, loadedAhead, shown, signIn } from '../../support/console.ts';
import { row, workbookOf } from '../../support/workbook.ts';

const part = (xml: string) => strToU8(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);

/** A workbook as Excel writes it: with shared strings, of which one has a line break, a row that is left out, and a time. */
const sheet = Buffer.from(
  zipSync({
    'xl/workbook.xml': part(
      '<workbook xmlns:r="urn:r"><sheets><sheet name="A" sheetId="7" r:id="rId2"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': part(
      '<Relationships><Relationship Id="rId2" Target="worksheets/sheet7.xml"/></Relationships>',
    ),
    'xl/styles.xml': part(
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    ),
    'xl/sharedStrings.xml': part(
      '<sst><si><t>url</t></si><si><t>title</t></si><si><r><t>Grüße, "Köln"\n</t></r><r><t>am Rhein</t></r></si></sst>',
    ),
    'xl/worksheets/sheet7.xml': part(`<worksheet><sheetData>
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>alias</t></is></c><c r="D1" t="str"><v>expires</v></c></row>
      <row r="2"><c r="A2" t="str"><v>https://c.example/?a,b</v></c><c r="B2" t="s"><v>2</v></c><c r="D2" s="1"/></row>
      <row r="4"><c r="A4" t="str"><v>https://d.example/</v></c><c r="C4"><v>2024</v></c><c r="D4" s="1"><v>46356.25</v></c></row>
    </sheetData></worksheet>`),
  }),
);

/**
 * For writes of a hundred links: on a busy machine the service stops after each half minute, and the console sends the rest in
 * smaller batches.
 */
const BULK = { timeout: 240_000 };

describe.runIf(chromiumPath)('many links in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
  });
  const newAccount = (): Promise<Caller> => {
    accounts++;
    return server.caller(`account ${accounts}`);
  };
  const tabOf = (caller: Caller, path = '/') => signIn({ server, key: caller.key }, { path });

  /** Puts links into the database, without a change of each. */
  async function addLinks(caller: Caller, count: number): Promise<void> {
    const { viewer } = await caller.data<{ viewer: { account: { id: string } } }>(
      '{ viewer { account { id } } }',
    );
    const { id: domainId } = await server.database.prisma.domain.findFirstOrThrow();
    const rows = Array.from({ length: count }, (_, index) => {
      const alias = `n${accounts}-${index}`;
      const url = `https://example.com/${alias}`;
      return {
        ...{ alias, aliasKey: alias, url, urlKey: url, title: `Link ${index}`, titleKey: `link ${index}` },
        ...{ domainId, accountId: Number(viewer.account.id), createdAt: NOON, updatedAt: NOON },
      };
    });
    for (let from = 0; from < count; from += 1_000)
      await server.database.prisma.link.createMany({ data: rows.slice(from, from + 1_000) });
  }

  test('checks 100 pasted lines before it writes, leaves out three bad ones, and gives them back as a file', async () => {
    const caller = await newAccount();
    await caller.link({ alias: 'occupied' });
    const { page, complaints } = await tabOf(caller, '/many');
    const lines = Array.from({ length: 100 }, (_, index) => `https://example.com/${index}`);
    lines[9] = 'nowhere';
    lines[49] = 'https://example.com/49\toccupied';
    lines[99] = 'https://s.example/loop';
    // The next step is in sight before there is a line.
    expect(await (await shown(page.getByRole('button', { name: 'Create links' }))).isDisabled()).toBe(true);
    await page.getByLabel('Destinations', { exact: true }).fill(lines.join('\n'));
    await shown(page.getByText('97 links are ready.'));
    await page.getByText('3 lines are wrong: correct them here, or leave them out.').waitFor();
    const wrong = page.locator('tr.wrong');
    const taken = 'The alias is already taken on this domain.';
    await expect
      .poll(() => wrong.locator('.error').allInnerTexts())
      .toEqual([
        'The URL must begin with https://, such as https://example.com/page.',
        taken,
        'The URL may not lead to a short domain of this service.',
      ]);
    // The field that is wrong is named as such, and the alias stands once.
    const marked = wrong.locator('[aria-invalid="true"]');
    const names = () => marked.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    await expect.poll(names).toEqual(['Destination, line 10', 'Alias, line 50', 'Destination, line 100']);
    expect(await wrong.locator('td').count()).toBe(3);
    const total = () => caller.data('{ links { totalCount } }');
    await expect.poll(() => total()).toEqual({ links: { totalCount: 1 } });
    const url = page.getByLabel('Destination, line 10', { exact: true });
    await url.fill('www.example.com/9 nine 9');
    await page.getByText('The URL has a space: alias and title belong behind a tab').waitFor();
    await url.fill('www.example.com/9');
    await page.keyboard.press('Enter');
    await shown(page.getByText('98 links are ready.'));
    const input = page.getByLabel('Destinations', { exact: true });
    expect((await input.inputValue()).split('\n').slice(8, 11)).toEqual([
      'https://example.com/8',
      'www.example.com/9',
      'https://example.com/10',
    ]);
    await page.getByRole('button', { name: 'Create 98 links' }).click();
    await page.getByText('98 links were created').waitFor(BULK);
    await expect.poll(() => total()).toEqual({ links: { totalCount: 99 } });
    const made = page.getByRole('region', { name: 'Created links' });
    await expect.poll(() => made.getByRole('button', { name: /^Copy: s\.example\/\w+$/ }).count()).toBe(98);
    await page.getByRole('button', { name: 'Copy all short URLs' }).click();
    await shown(page.getByText('Copied', { exact: true }));
    const waits = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the failed lines' }).click();
    const file = readFileSync(await (await waits).path(), 'utf8');
    expect(file).toBe(
      [
        '\uFEFFurl,alias,title,error',
        'https://example.com/49,occupied,,The alias is already taken on this domain.',
        'https://s.example/loop,,,The URL may not lead to a short domain of this service.\r\n',
      ].join('\r\n'),
    );
    await page.getByRole('button', { name: 'Correct these lines' }).click();
    await expect
      .poll(() => input.inputValue())
      .toBe('https://example.com/49\toccupied\nhttps://s.example/loop');
    // A line that is corrected just before the click counts, too, as does one while somebody still types.
    await input.fill(
      'https://example.com/50\tq 50\nhttps://example.com/51\tq 51\nhttps://example.com/52  q52  Typed',
    );
    await (await shown(page.getByLabel('Destination, line 1', { exact: true }))).fill(
      'https://example.com/50\tq50',
    );
    await shown(page.getByText('2 links are ready.'));
    await page.getByLabel('Destination, line 2', { exact: true }).fill('https://example.com/51\tq51');
    await page.getByRole('button', { name: /^Create [23] links$/ }).click();
    await page.getByText('3 links were created').waitFor();
    await expect.poll(() => made.locator('tr').last().innerText()).toContain('s.example/q52');
    await expect.poll(() => made.locator('td').last().innerText()).toBe('Typed');
    await page.getByRole('link', { name: 'Activity' }).click();
    await shown(page.getByText('101 links created'));
    expect(complaints).toEqual([]);
  });

  test('leads to exactly the new links, and back to the lines that failed', async () => {
    const caller = await newAccount();
    await caller.link({ alias: `before-${accounts}` });
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    const { page, complaints } = await tabOf(caller, '/many');
    const input = page.getByLabel('Destinations', { exact: true });
    await input.fill('nowhere');
    await shown(page.getByText('Nothing to create: each line says why.'));
    await input.fill('https://example.com/a\nnowhere\nhttps://example.com/b');
    await (await shown(page.getByRole('button', { name: 'Create 2 links' }))).click();
    await shown(page.getByText('2 links were created'));
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    await caller.link({ alias: `after-${accounts}` });
    await page.getByRole('link', { name: 'View in Links' }).click();
    await shown(page.locator('.row', { hasText: 'example.com/b' }));
    expect(await page.locator('.row').count()).toBe(2);
    await page.goBack();
    await shown(page.getByRole('button', { name: 'Correct these lines' }));
    expect(complaints).toEqual([]);
  });

  test('reads a CSV file with the columns of an export, and makes the spaces that it names', async () => {
    const caller = await newAccount();
    const { page } = await tabOf(caller, '/many');
    const csv = [
      'kind,url,alias,title,space,disabled,expiration_clicks,target_type,countries,clicks,privacy,colour',
      `link,https://example.com/a,csv-${accounts},"A title, with a comma",New space,1,7,COUNTRY,"[{""country"":""DE"",""url"":""https://example.com/de""}]",12,,red`,
      'link,https://example.com/b,,,,,,,,,,',
      'link,https://example.com/c,,,,,,COUNTRY,"[1]",,,',
      'link,https://example.com/d,,,,,,,,,secret,',
    ].join('\n');
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${csv}`) });
    await shown(page.getByText('2 links are ready.'));
    await page.getByText('These columns are not read: colour.').waitFor();
    await page.getByText('2 lines are wrong').waitFor();
    await page.getByText('The choice must be one of PUBLIC, PRIVATE, PASSWORD.').waitFor();
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await shown(page.getByText('2 links were created'));
    const query = `{ links(orderBy: { field: ID, direction: ASC }) { nodes {
      url title disabled space { name } expiration { clicks } targeting { type countries { country url } }
    } } }`;
    await expect
      .poll(() => caller.data(query))
      .toEqual({
        links: {
          nodes: [
            {
              url: 'https://example.com/a',
              title: 'A title, with a comma',
              disabled: true,
              space: { name: 'New space' },
              expiration: { clicks: 7 },
              targeting: { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://example.com/de' }] },
            },
            {
              url: 'https://example.com/b',
              title: null,
              disabled: false,
              space: null,
              expiration: { clicks: null },
              targeting: { type: 'NONE', countries: [] },
            },
          ],
        },
      });
  });

  test('reads a file as Excel saves it, and opens no link that had a password', async () => {
    const caller = await newAccount();
    const { page } = await tabOf(caller, '/many');
    const buffer = Buffer.from(
      '\uFEFFurl\ttitle\thas_password\r\nhttps://a.example/\tZürich\t1\r\n',
      'utf16le',
    );
    await page.getByLabel('Or a file').setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
    await shown(page.getByText('had a password, which is not imported'));
    // A space that is typed is made with them.
    await page.getByRole('combobox', { name: 'Space' }).fill('Cities');
    await page.getByRole('button', { name: 'Create 1 link' }).click();
    await page.getByText('1 link was created').waitFor();
    await page.getByRole('button', { name: 'Add tags' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Tags' }).fill('Spring');
    await page.getByRole('button', { name: 'Add to 1 link' }).click();
    await shown(page.getByText('Tag “Spring” added to 1 link.'));
    await expect
      .poll(() => caller.data('{ links { nodes { title disabled space { name } tags { name } } } }'))
      .toEqual({
        links: {
          nodes: [{ title: 'Zürich', disabled: true, space: { name: 'Cities' }, tags: [{ name: 'Spring' }] }],
        },
      });
    // The same file again, as a workbook and as text.
    await page.getByRole('button', { name: 'More links' }).click();
    const workbook = Buffer.from([0x50, 0x4b, 3, 4]);
    const typed = page.getByLabel('Destinations', { exact: true });
    await typed.fill('https://typed.example/');
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'links.xlsx', mimeType: 'application/zip', buffer: workbook });
    await page.getByText('Save it as CSV (UTF-8), and choose that file.').waitFor();
    await expect.poll(() => typed.inputValue()).toBe('https://typed.example/');
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'links.xlsx', mimeType: 'application/zip', buffer: sheet });
    await expect
      .poll(() => typed.inputValue())
      .toBe(
        'url,title,alias,expires\n"https://c.example/?a,b","Grüße, ""Köln"" am Rhein"\n\nhttps://d.example/,,2024,2026-11-30T06:00:00',
      );
    await page.getByText('2 links are ready.').waitFor();
    const more = Buffer.from(`${buffer.toString('utf16le')}https://b.example/\tNeu\t\r\n`, 'utf16le');
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: more });
    await page.getByRole('button', { name: 'Create 1 link' }).click();
    await page.getByText('1 line was skipped: its link is there already.').waitFor();
  });

  test('sends the export of another service in slices, counts lines over the whole file, and may be repeated', async () => {
    const caller = await newAccount();
    const { page } = await tabOf(caller, '/many');
    const lines = Array.from(
      { length: 250 },
      (_, index) => `bit.ly/s${index},https://example.com/${index},"a\nb"`,
    );
    lines[240] = 'bit.ly/s240,nowhere,';
    const buffer = Buffer.from(`Bitlink,Long URL,Notes\r\n${lines.join('\r\n')}\r\n`);
    const file = { name: 'bitly.csv', mimeType: 'text/csv', buffer };
    await page.getByLabel('Or a file').setInputFiles(file);
    await shown(page.getByText('249 links are ready.'));
    await expect.poll(() => page.getByLabel('Format').inputValue()).toBe('BITLY');
    await expect.poll(() => page.locator('tr.wrong th').innerText()).toBe('482');
    await page.getByLabel('Format').selectOption('SHLINK');
    await page.getByText('The file is no export of the format "shlink"').waitFor();
    await page.getByLabel('Format').selectOption('BITLY');
    await page.getByRole('button', { name: 'Create 249 links' }).click();
    await page.getByText('249 links were created').waitFor(BULK);
    await page.getByRole('button', { name: 'More links' }).click();
    await page.getByLabel('Or a file').setInputFiles(file);
    await shown(page.getByText('249 links are in your account.'));
    // The same destinations with other aliases.
    await page
      .getByLabel('Destinations', { exact: true })
      .fill('https://example.com/3\thttps-3\nhttps://example.com/nowhere-yet');
    await (await shown(page.getByLabel('Skip the URL that already has a link'))).check();
    await page.getByRole('button', { name: 'Create 1 link' }).waitFor();
    const there = page.getByRole('link', { name: /\/s3$/ });
    await there.waitFor();
    // Of URLs alone, those that are there are left out, as are repeats, which look so.
    await page
      .getByLabel('Destinations', { exact: true })
      .fill('https://example.com/3\nhttps://example.com/new\nhttps://example.com/new');
    await shown(page.getByText('1 link is ready. 1 line repeats another.'));
    await expect
      .poll(() => page.locator('tr.out td:last-child').allInnerTexts())
      .toEqual(['skipped\nits destination has a link: s.example/s3', 'skipped\nthe same as line 2']);
    await page.getByLabel('Skip the URL that already has a link').uncheck();
    await page.getByRole('button', { name: 'Create 2 links' }).waitFor();
    await page.getByLabel('Skip the URL that already has a link').check();
    await page.getByRole('button', { name: 'Create 1 link' }).click();
    // What was skipped is listed with the link that is there; undo deletes the new one alone, and gives the lines back.
    await shown(page.getByText('2 lines were skipped: their links are there already.'));
    await expect
      .poll(() => page.locator('tr.out').allInnerTexts())
      .toEqual([
        '1\thttps://example.com/3\tskipped\nits destination has a link: s.example/s3',
        '3\thttps://example.com/new\tskipped\nthe same as line 2',
      ]);
    const { pathname } = new URL((await there.getAttribute('href')) ?? '', page.url());
    await expect
      .poll(() => caller.data(`{ link(id: "${pathname.split('/').pop()}") { url } }`))
      .toEqual({
        link: { url: 'https://example.com/3' },
      });
    // What is saved has the lines of the sheet, each with its link.
    const waits = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const saved = readFileSync(await (await waits).path(), 'utf8')
      .trim()
      .split('\r\n')
      .slice(1);
    const alias = /s\.example\/(\w+)/.exec(saved[1] ?? '')?.[1];
    expect(saved).toEqual([
      '1,https://s.example/s3,https://example.com/3,,',
      `2,https://s.example/${alias},https://example.com/new,,`,
      `3,https://s.example/${alias},https://example.com/new,,`,
    ]);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 link' }).click();
    await shown(page.getByText('1 link is ready. 1 line repeats another.'));
    await expect.poll(() => caller.data('{ links { totalCount } }')).toEqual({ links: { totalCount: 249 } });
    // A line with two URLs is made two, and an alias that another line has is told with its line, also while it is corrected.
    await page
      .getByLabel('Destinations', { exact: true })
      .fill(
        'https://example.com/x https://example.com/y\n\nhttps://example.com/z\tz\nhttps://example.com/w\tz',
      );
    await shown(page.getByText('The alias is already that of line 3.'));
    await page.getByRole('button', { name: 'Make 2 lines of it' }).click();
    await shown(page.getByText('3 links are ready. 1 line is wrong'));
    await page.getByText('The alias is already that of line 4.').waitFor();
    await page.getByLabel('Destination, line 5').fill('https://example.com/w\tw');
    await shown(page.getByText('4 links are ready.'));
    await page.getByLabel('Destination, line 5').fill('https://example.com/w\tz');
    await shown(page.getByText('The alias is already that of line 4.'));
    // A word behind a separator may be meant as an alias: nothing is created before that is said.
    const input = page.getByLabel('Destinations', { exact: true });
    await input.fill('https://l.example/a,im18\nhttps://l.example/b,im19');
    const question = page.getByRole('group', {
      name: 'Every line has something like “,im18” behind its URL. Columns, or part of the URL?',
    });
    await shown(question);
    await expect.poll(() => page.getByRole('button', { name: 'Create 2 links' }).isDisabled()).toBe(true);
    await question.getByRole('button', { name: 'Columns' }).click();
    await expect.poll(() => input.inputValue()).toBe('https://l.example/a\tim18\nhttps://l.example/b\tim19');
    await expect.poll(() => page.locator('td:last-child').allInnerTexts()).toEqual(['im18', 'im19']);
    await expect.poll(() => page.getByRole('button', { name: 'Create 2 links' }).isEnabled()).toBe(true);
    await input.fill('https://l.example/c;im18\nhttps://l.example/d;im19');
    await (await shown(page.getByRole('button', { name: 'Part of the URL' }))).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await shown(page.getByText('2 links were created'));
    await expect
      .poll(() => caller.data('{ links(first: 2) { nodes { url } } }'))
      .toEqual({
        links: { nodes: [{ url: 'https://l.example/d;im19' }, { url: 'https://l.example/c;im18' }] },
      });
    await page.evaluate(`localStorage.setItem('linkspace.language', 'de')`);
    await page.reload();
    await page.getByLabel('Ziele', { exact: true }).fill('Name\tNummer\nEins\t1');
    await shown(page.getByText('Der Text hat keine Spalte mit URLs, sondern "Name", "Nummer".'));
    await page.getByLabel('Ziele', { exact: true }).fill('nowhere');
    await shown(page.getByText('Die URL muss mit https:// beginnen'));
  });

  test('reads workbooks of other programs, and says of a sheet that it has nothing', async () => {
    const strings = [
      'url',
      'title',
      'https://a.example/1_x000D_',
      'A _x005F_x000D_ B_x0007_',
      'https://a.example/2',
    ];
    const rows = `${row(1, 0, 1)}${row(2, 2, 3)}${row(3, 4, '_x0041__x000a_b _xD83D__xDE00_ _x12_')}`;
    const plain = { strings, sheets: [{ rows }] };
    const hidden = { rows: row(1, 'wrong'), state: 'hidden' } as const;
    const good: Record<string, Buffer> = {
      escapes: workbookOf(plain),
      'another case of a part': workbookOf({ ...plain, stringsPart: 'SharedStrings.xml' }),
      'another name of a part': workbookOf({ ...plain, stringsTarget: 'SharedStrings2.xml' }),
      'another name of the workbook': workbookOf({ ...plain, workbook: 'xl/workbook2.xml' }),
      'another folder': workbookOf({ ...plain, workbook: 'book/Main.xml' }),
      'no relationships of its own': workbookOf({ ...plain, workbook: 'XL/Workbook.XML', hasRoot: false }),
      backslashes: workbookOf({ ...plain, separator: '\\' }),
      'a target with backslashes': workbookOf({
        strings,
        sheets: [{ rows, target: 'Worksheets\\Sheet1.xml' }],
      }),
      'a target from the root': workbookOf({
        strings,
        sheets: [{ rows, target: '/xl/worksheets/sheet1.xml' }],
      }),
      'a target with dots': workbookOf({
        strings,
        sheets: [{ rows, target: '../xl/./worksheets/sheet1.xml' }],
      }),
      'hidden sheets': workbookOf({
        strings,
        sheets: [hidden, { ...hidden, state: 'veryHidden' }, { rows }],
      }),
      'a chart before its data': workbookOf({
        strings,
        sheets: [{ rows: '', kind: 'chartsheet' }, { rows }],
      }),
    };
    const { page } = await tabOf(await newAccount(), '/many');
    const input = page.getByLabel('Destinations', { exact: true });
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('Or a file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    for (const [what, buffer] of Object.entries(good)) {
      await input.fill('');
      await choose(`${what}.xlsx`, buffer);
      await expect
        .poll(() => input.inputValue(), { message: what })
        .toBe('url,title\nhttps://a.example/1,A _x000D_ B\nhttps://a.example/2,A b 😀 _x12_');
    }
    const message = page.locator('.many .field .error');
    const nothing = 'There is nothing in this file. Of a workbook, the first visible sheet is read.';
    const unreadable = /^This workbook cannot be read/;
    const bad: [Buffer, string | RegExp][] = [
      [workbookOf({ sheets: [{ rows: '' }, { rows }], strings }), nothing],
      [workbookOf({ sheets: [{ rows: row(3, ' ', '') }] }), nothing],
      [Buffer.from('\uFEFF \n'), nothing],
      [workbookOf({ ...plain, stringsPart: null }), unreadable],
      [workbookOf({ strings, sheets: [{ rows, target: 'worksheets/none.xml' }] }), unreadable],
    ];
    for (const [buffer, expected] of bad) {
      await input.fill('x');
      await choose('book.xlsx', buffer);
      await expect.poll(() => message.allInnerTexts()).toEqual([expect.stringMatching(expected)]);
      await expect.poll(() => input.inputValue()).toBe('x');
    }
  });

  test('reads workbooks in a worker, which is ended after ten seconds, and none that are too large', async () => {
    const { page, complaints } = await tabOf(await newAccount(), '/many');
    const message = page.locator('.many .field .error');
    const choose = (buffer: Buffer) =>
      page
        .getByLabel('Or a file')
        .setInputFiles({ name: 'a.xlsx', mimeType: 'application/octet-stream', buffer });
    const unreadable = [expect.stringMatching(/^This workbook cannot be read/)];
    const cells = '<c><v>1</v></c>'.repeat(200_001);
    await choose(workbookOf({ sheets: [{ rows: `<row>${cells}</row>` }] }));
    await expect.poll(() => message.allInnerTexts()).toEqual(unreadable);
    await expect.poll(() => page.workers()).toEqual([]);
    expect(complaints).toEqual([]);
    await page.route('**/workbook-worker-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'for (;;);' }),
    );
    // The tabs of all tests share one context, in which Playwright's own clock would stay.
    await page.evaluate(`(() => {
      const begin = window.setTimeout.bind(window);
      window.setTimeout = (call, after, ...rest) => {
        if (after !== 10_000) return begin(call, after, ...rest);
        window.endTenSeconds = call;
        return 0;
      };
    })()`);
    await page.getByLabel('Destinations', { exact: true }).fill('x');
    await expect.poll(() => message.count()).toBe(0);
    await choose(workbookOf({ sheets: [{ rows: row(1, 'url') }] }));
    await expect.poll(() => page.workers().length).toBe(1);
    expect([await message.count(), page.workers().length]).toEqual([0, 1]);
    await page.evaluate('window.endTenSeconds()');
    await expect.poll(() => message.allInnerTexts()).toEqual(unreadable);
    await expect.poll(() => page.workers()).toEqual([]);
  });

  test('disables all links that match, on every page, and undoes that only for those that it changed', async () => {
    const caller = await newAccount();
    await addLinks(caller, 260);
    const [before] = (
      await caller.data<{ links: { nodes: { id: string }[] } }>(
        '{ links(first: 1, filter: { search: "-1", searchBy: ALIAS }) { nodes { id } } }',
      )
    ).links.nodes;
    await caller.rest('PATCH', `/links/${before?.id}`, { disabled: 1 });
    const { page } = await tabOf(caller, '/?search=-1&in=alias');
    const rows = page.locator('.row');
    await expect.poll(() => rows.count()).toBe(50);
    await rows.nth(0).getByRole('checkbox').click();
    await rows
      .nth(3)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('4 links selected').waitFor();
    await page.getByRole('button', { name: 'Select this page' }).click();
    await page.getByRole('button', { name: /^Select all 1\d\d that match$/ }).click();
    await chooseForSelected(page, 'Disable');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Disable 1\d\d links$/ })
      .click();
    await page.getByText(/^1\d\d links disabled\.$/).waitFor(BULK);
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('row current');
    const read = () =>
      caller.data<Record<string, { totalCount: number }>>(`{
      matching: links(filter: { search: "-1", searchBy: ALIAS }) { totalCount }
      both: links(filter: { search: "-1", searchBy: ALIAS, status: DISABLED }) { totalCount }
      disabled: links(filter: { status: DISABLED }) { totalCount }
    }`);
    const { matching, ...others } = await read();
    expect(matching?.totalCount).toBeGreaterThan(100);
    expect(others).toEqual({ both: matching, disabled: matching });
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await expect.poll(async () => (await read()).disabled, BULK).toEqual({ totalCount: 1 });
    await page.getByRole('link', { name: 'Activity' }).click();
    const count = matching?.totalCount ?? 0;
    const groups = page.locator('.history summary');
    await expect
      .poll(() => groups.allInnerTexts())
      .toEqual([count - 1, count - 1].map((links) => `${links} links changed: status`));
    // The last change is undone first, and a line names the newest hundred: the two name opposite ends of the list.
    await groups.first().click();
    await page.locator('.history').getByRole('link', { name: 'Link 198', exact: true }).waitFor();
    await groups.last().click();
    await page.locator('.history').getByRole('link', { name: 'Link 1', exact: true }).waitFor();
    await page.getByText('Older entries are deleted: after 90 days').waitFor();
  });

  test('deletes selected links only if that is not undone, and asks before it deletes all that match', async () => {
    const caller = await newAccount();
    await addLinks(caller, 53);
    const { page } = await tabOf(caller);
    const rows = page.locator('.row');
    const remove = () => chooseForSelected(page, 'Delete');
    const removeTwo = async () => {
      await rows.nth(0).getByRole('checkbox').click();
      await rows.nth(1).getByRole('checkbox').click();
      await remove();
      await page.getByText('their 0 clicks').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 links' }).click();
      await page.locator('.toast').getByText('2 links are deleted.').waitFor();
      await expect.poll(() => rows.count()).toBe(48);
      // Where nothing is selected any more, people go on in the list.
      await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('row current');
    };
    const titles = () => caller.data('{ links(first: 1) { totalCount nodes { title } } }');
    await removeTwo();
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await expect.poll(() => rows.count()).toBe(50);
    await removeTwo();
    await expect.poll(() => titles()).toEqual({ links: { totalCount: 53, nodes: [{ title: 'Link 52' }] } });
    await page.reload();
    await expect.poll(titles).toEqual({ links: { totalCount: 51, nodes: [{ title: 'Link 50' }] } });
    await page.getByRole('button', { name: 'Select this page' }).click();
    await page.getByRole('region', { name: 'Selected links' }).getByRole('button', { name: 'Copy' }).click();
    await shown(page.getByText('Copied'));
    await page.getByRole('button', { name: 'Select all 51 that match' }).click();
    await remove();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 51 links' }).click();
    await page.getByText('No links yet').waitFor(BULK);
  });

  test('pages through 1,800 links to the end and back, and keeps none of their pages', async () => {
    const caller = await newAccount();
    await addLinks(caller, 1_800);
    const { page } = await tabOf(caller);
    const session = await page.context().newCDPSession(page);
    /** The number of plain objects in the page: unlike bytes, it does not change with compiled code. */
    const countOnce = async () => {
      const { result: prototype } = await session.send('Runtime.evaluate', {
        expression: 'Object.prototype',
      });
      const { objects } = await session.send('Runtime.queryObjects', {
        prototypeObjectId: String(prototype.objectId),
        objectGroup: 'counted',
      });
      const { result: count } = await session.send('Runtime.callFunctionOn', {
        objectId: String(objects.objectId),
        functionDeclaration: 'function () { return this.length; }',
        returnByValue: true,
      });
      await session.send('Runtime.releaseObjectGroup', { objectGroup: 'counted' });
      return Number(count.value);
    };
    /** The number that two counts agree on: the first may still see objects of the last page that was turned. */
    const countObjects = async () => {
      let count = await countOnce();
      let again = await countOnce();
      while (again < count) {
        count = again;
        again = await countOnce();
      }
      return count;
    };
    const next = page.getByRole('button', { name: 'Next →' });
    const first = page.locator('.row .second b').first();
    /** Turns pages as fast as the console shows them, until the first link is this one. */
    const turnTo = (title: string) =>
      page.evaluate(`(async () => {
        const first = () => document.querySelector('.row .second b').textContent;
        const next = () => document.querySelector('.pager button:last-child');
        while (first() !== '${title}') {
          const before = first();
          next().click();
          while (first() === before) await new Promise((done) => setTimeout(done, 4));
        }
      })()`);
    await first.waitFor();
    await loadedAhead(page);
    // More pages than are kept.
    await turnTo('Link 999');
    const early = await countObjects();
    await turnTo('Link 549');
    const halfway = await countObjects();
    await turnTo('Link 49');
    const late = await countObjects();
    await expect.poll(() => next.isDisabled()).toBe(true);
    // Graphcache keeps the keys of all records that it has seen: 2.9 objects for a link. With pages that stay it is 10. What is
    // read once, such as the first clicks of a stream, is in one of both.
    expect(Math.min((halfway - early) / 450, (late - halfway) / 500)).toBeLessThan(3.7);
    await page.getByRole('button', { name: '← Previous' }).click();
    await expect.poll(() => first.innerText()).toBe('Link 99');
  });
});
