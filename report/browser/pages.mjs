// Looks at the pages of a store, exported and served: a browser is let in, and its editor asks the store.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PHONE = 390;
const CONTRAST = 4.5;
/** Longest wait for the server, in milliseconds. */
const DEADLINE = 30_000;

/** No page scrolls sideways, is faint, or lacks a name for what can be used. */
const looks = async ({ claim, faintest }, page, name) => {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: PHONE, height: 900 });
    const found = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      unnamed: [...document.querySelectorAll('input, textarea, button, a, [role=region]')].filter((one) =>
        !(one.labels?.[0] ?? one).textContent.trim() && !one.getAttribute('aria-label')).length,
      headings: [...document.querySelectorAll('h1, h2, h3')].map((heading) => Number(heading.tagName[1])),
      landmarks: ['main', 'header', 'footer', 'nav[aria-label]'].filter((one) => document.querySelectorAll(one).length !== 1),
      twice: [...document.querySelectorAll('[id]')].filter((one) => document.querySelectorAll(`#${CSS.escape(one.id)}`).length > 1).length,
      language: document.documentElement.lang,
    }));
    const faint = await faintest(page);
    const jumps = found.headings.filter((level, at) => level > (found.headings[at - 1] ?? 0) + 1).length;
    const isWhole = found.unnamed + jumps + found.landmarks.length + found.twice === 0 && found.language === 'en';
    claim(found.wide <= PHONE && faint.ratio >= CONTRAST && isWhole, `${name} can be read on a phone and by ear, ${scheme}`,
      `${found.wide} pixels, ${faint.ratio.toFixed(1)} to 1 (${faint.what.trim()}), ${found.unnamed} without a name, `
      + `${found.landmarks.length} landmarks missing`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

/** Files need no script, no network, and lead to each other. */
const exported = async (tools, spl, store, work) => {
  const { claim, open } = tools;
  const folder = join(work, 'site');
  execFileSync(spl, ['pages', '--store', store, '--compare', '1,2', '--export', folder], { stdio: 'pipe' });
  const names = readdirSync(folder);
  const kinds = ['index.html', ...['run-', 'program-', 'difference-'].map((kind) => names.find((name) => name.startsWith(kind)))];
  const overTime = names.find((name) => readFileSync(join(folder, name), 'utf8').includes('class="charts"'));
  for (const name of [...kinds, overTime]) {
    const { page, seen } = await open(join(folder, name), 1280, 'light', { javaScriptEnabled: false });
    await looks(tools, page, `the exported ${name}`);
    claim(seen.requests.length + seen.complaints.length === 0, `the exported ${name} asks for nothing`,
      seen.requests[0] ?? seen.complaints[0] ?? 'no request');
    if (name === overTime) {
      const charts = await page.locator('.charts svg[role=img][aria-label]').count();
      const drawn = await page.evaluate(() => [...document.querySelectorAll('.charts .line')].filter((line) =>
        line.getBoundingClientRect().width > 50 && getComputedStyle(line).stroke !== 'none').length);
      claim(charts > 0 && drawn === charts, `the exported ${name} has charts over time`, `${drawn} of ${charts} are drawn`);
    }
    await page.close();
  }
};

/** The server, with the address that it prints. */
const started = async (spl, store) => {
  const server = spawn(spl, ['pages', '--store', store, '--serve'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', (status) => resolve(status)));
  const lines = createInterface({ input: server.stdout });
  const address = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the server prints no address')), DEADLINE);
    lines.once('line', (line) => { clearTimeout(late); resolve(line); });
    ended.then((status) => reject(new Error(`the server ended with status ${status}`)));
  });
  return { server, ended, address };
};

/** The token opens the pages once, and stays in no address. */
const entrance = async ({ claim, open }, address) => {
  const { page, seen } = await open(address, 1280, 'light');
  await page.waitForURL('**/index.html', { timeout: DEADLINE });
  const origin = new URL(address).origin;
  const outside = seen.requests.filter((url) => !url.startsWith(`${origin}/`));
  const isIn = await page.locator('h1').textContent() === 'Runs' && !page.url().includes('#');
  claim(isIn && outside.length === 0 && seen.complaints.length === 0, 'the printed address opens the pages',
    seen.complaints[0] ?? outside[0] ?? page.url().replace(/[0-9a-f]{32}/, '…'));
  const cookies = await page.context().cookies(page.url());
  const [cookie] = cookies;
  const isClosed = cookie.httpOnly && await page.evaluate(() => document.cookie) === '';
  claim(cookies.length === 1 && isClosed && cookie.sameSite === 'Strict' && cookie.path.length === 34,
    'the cookie is closed to scripts and bound to a path', `${cookie.sameSite}, ${cookie.path.length} characters`);
  const { page: other } = await open(address, 1280, 'light');
  await other.waitForFunction(() => /once/.test(document.querySelector('#said').textContent), null, { timeout: DEADLINE });
  const refused = await other.goto(page.url());
  claim(refused.status() === 401, 'another browser is told that the address is used, and gets no page', `status ${refused.status()}`);
  await other.close();
  return { page, seen };
};

/** The editor by keyboard alone: a saved query, an answer, a mistake. */
const editor = async (tools, page, seen, spl, store) => {
  const { claim } = tools;
  const queried = (form) => execFileSync(spl,
    ['query', '--store', store, '--as', form, '@metric', 'base.instructions.value', 'whole'], { encoding: 'utf8' });
  await page.getByRole('link', { name: 'Query', exact: true }).click();
  await looks(tools, page, 'the editor');
  await page.locator('a[href="query.html?saved=metric"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/query.html?saved=metric', { timeout: DEADLINE });
  const hasFocus = await page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('Tab');
  await page.keyboard.type('base.instructions.value\nwhole');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('#answer', { timeout: DEADLINE });
  const texts = (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent));
  const cells = await page.locator('#answer tbody tr').evaluateAll(texts);
  const rows = JSON.parse(queried('json')).rows.map((row) => row.map((cell) => cell === null ? 'null' : String(cell)));
  claim(hasFocus === 'sql' && rows.length === 3 && JSON.stringify(cells) === JSON.stringify(rows),
    'Ctrl-Enter runs a saved query with the answer of spl query', `${cells.length} rows`);
  await looks(tools, page, 'the answer');
  const order = [];
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  for (let step = 0; step < 40 && order.at(-1)?.name !== 'BODY'; step += 1) {
    await page.keyboard.press('Tab');
    order.push(await page.evaluate(() => {
      const one = document.activeElement;
      return { name: one.tagName, ring: getComputedStyle(one).outlineStyle !== 'none' };
    }));
  }
  const stops = order.filter(({ name }) => name !== 'BODY');
  const buttons = stops.filter(({ name }) => name === 'BUTTON').length;
  claim(stops.length > 10 && buttons === 3 && stops.every(({ ring }) => ring),
    'Tab reaches editor, buttons and answer, and shows where it is', `${stops.length} stops`);
  const download = page.waitForEvent('download', { timeout: DEADLINE });
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  const csv = readFileSync(await file.path(), 'utf8');
  claim(file.suggestedFilename() === 'query.csv' && csv === queried('csv'),
    'the download is what spl query prints', `${csv.length} characters`);
  claim(seen.complaints.length === 0, 'the browser complains of no page', seen.complaints[0] ?? 'no message');
  await page.locator('#sql').fill('SELECT *\nFORM run');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForSelector('#fault', { timeout: DEADLINE });
  const fault = await page.evaluate(() =>
    [...['#fault', 'pre'].map((one) => document.querySelector(one).textContent), document.querySelector('#sql').value]);
  claim(fault[0].startsWith('line 2, column ') && fault[1].startsWith('FORM run\n') && fault[2] === 'SELECT *\nFORM run',
    'a mistake has its place, and the query stays', fault[0]);
  await looks(tools, page, 'the mistake');
};

/** After the exchange of the token no page needs a script. */
const unscripted = async ({ claim, open }, page) => {
  const storageState = await page.context().storageState();
  const { page: plain } = await open(page.url(), 1280, 'light', { javaScriptEnabled: false, storageState });
  await plain.locator('a[href="query.html?saved=runs"]').click();
  await plain.getByRole('button', { name: 'Run', exact: true }).click();
  await plain.waitForSelector('#answer', { timeout: DEADLINE });
  const rows = await plain.locator('#answer tbody tr').count();
  claim(rows === 5, 'the editor works without a script', `${rows} rows`);
  await plain.close();
};

/** The pages of a store. */
export const pages = async (tools, spl, runs, work) => {
  const store = join(runs, 'spl-store.db');
  await exported(tools, spl, store, work);
  const { server, ended, address } = await started(spl, store);
  try {
    const { page, seen } = await entrance(tools, address);
    await looks(tools, page, 'the served index');
    await editor(tools, page, seen, spl, store);
    await page.goto(new URL('query.html', page.url()).href);
    await unscripted(tools, page);
    await page.close();
    const begin = performance.now();
    server.kill('SIGINT');
    const status = await ended;
    const took = performance.now() - begin;
    tools.claim(status === 0 && took < 2000, 'the server ends when it is interrupted', `${took.toFixed(0)} ms`);
  } finally {
    server.kill('SIGKILL');
  }
};
