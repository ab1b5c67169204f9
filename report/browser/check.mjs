// Opens a report in Chromium and prints a line "ok|FAIL claim figure" for each thing that its reader relies on; ends with
// status 1 if one fails. Usage: check.mjs SPL DIR [--shots DIR] [--picture FILE], where DIR has the folders rome and planted with the files
// of runs, drill.html, the page of traced calls over time, and a store.
import { chromium } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { graphs } from './graphs.mjs';
import { pages } from './pages.mjs';
import { timeline } from './timeline.mjs';

const [spl, runs, ...options] = process.argv.slice(2);
const run = join(runs, 'rome');
const option = (name) => options.includes(name) ? options[options.indexOf(name) + 1] : undefined;
const PHONE = 400;
// A phone, half a screen, and the screens of most laptops.
const WIDTHS = [1280, 1000, PHONE];
// WCAG 2.1, 1.4.3: the least contrast of small text.
const CONTRAST = 4.5;
// The README is looked at on phones too.
const PICTURE_BYTES = 300_000;

let failed = false;
const claim = (holds, text, figure) => {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${text}: ${figure}`);
  failed ||= !holds;
};

const work = mkdtempSync(join(tmpdir(), 'spl-browser.'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // A root's browser, as in a container, has no sandbox; it opens our own pages only.
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});

const report = (folder, name) => {
  const page = join(work, name);
  execFileSync(spl, ['report', folder, '--out', page], { stdio: 'pipe' });
  return page;
};

/** A page of the browser, with what it complains of and what it asks the network for. */
const open = async (file, width, colorScheme, more = {}) => {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce', ...more });
  const seen = { complaints: [], requests: [], dialogs: 0 };
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && seen.complaints.push(message.text()));
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  page.on('request', (request) => request.url().startsWith('file:') || seen.requests.push(request.url()));
  page.on('dialog', (dialog) => { seen.dialogs += 1; dialog.dismiss(); });
  await page.goto(file.startsWith('http:') ? file : pathToFileURL(file).href);
  return { page, seen };
};

const openAll = (page) => page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));

const contents = async (file) => {
  const { page, seen } = await open(file, 1200, 'light');
  const verdicts = await page.evaluate(() => [...document.querySelectorAll('.claim > summary .badge')]
    .filter((badge) => badge.checkVisibility()).map((badge) => badge.innerText.trim()));
  const counted = await page.evaluate(() => [...document.querySelectorAll('.counts .number')]
    .reduce((sum, number) => sum + Number(number.textContent), 0));
  claim(verdicts.length === counted && counted > 0 && verdicts.every((text) => /Holds|Fails|Undecided|Not evaluated/.test(text)),
    'every assertion shows its verdict', `${verdicts.length} of ${counted}`);
  await openAll(page);
  const charts = await page.evaluate(() => [...document.querySelectorAll('figure svg')].map((svg) => {
    const frame = svg.getBoundingClientRect();
    const inside = (mark) => {
      const box = mark.getBoundingClientRect();
      return box.left >= frame.left - 2 && box.right <= frame.right + 2 && box.width + box.height > 0;
    };
    const marks = [...svg.querySelectorAll('polyline, polygon, path, rect')].filter(inside);
    return { marks: marks.length, labels: svg.querySelectorAll('text').length, title: svg.querySelector('title')?.textContent ?? '' };
  }));
  const poor = charts.filter(({ marks, labels, title }) => marks < 2 || labels < 4 || title.length < 20);
  claim(charts.length > 5 && poor.length === 0, 'charts have marks, labels and a name for screen readers', `${charts.length - poor.length} of ${charts.length}`);
  claim(seen.complaints.length === 0, 'the browser complains of nothing', seen.complaints[0] ?? 'no message');
  claim(seen.requests.length === 0, 'nothing is asked of the network', seen.requests[0] ?? 'no request');
  const pdf = await page.pdf();
  claim(pdf.length > 50_000, 'it prints', `${pdf.length} bytes of PDF`);
  await page.close();
};

const keyboard = async (file) => {
  const { page } = await open(file, 1200, 'light');
  const focus = () => page.evaluate(() => {
    const element = document.activeElement;
    const ring = getComputedStyle(element).outlineStyle !== 'none';
    return { name: `${element.tagName} ${element.id || element.className}`.trim(), ring, top: element.getBoundingClientRect().top + scrollY };
  });
  const order = [];
  for (let step = 0; step < 60 && order.at(-1)?.name !== 'BODY'; step += 1) {
    await page.keyboard.press('Tab');
    order.push(await focus());
  }
  const stops = order.filter(({ name }) => name !== 'BODY');
  // The way to the results comes first and stands outside of the page until then.
  const falling = stops.slice(1).filter((stop, index, all) => index > 0 && stop.top < all[index - 1].top - 60);
  claim(stops[0]?.name === 'A skip' && stops[1]?.name === 'BUTTON theme' && falling.length === 0 && stops.every(({ ring }) => ring),
    'Tab goes from top to bottom and shows where it is', `${stops.length} stops`);
  const state = () => page.evaluate(() => document.querySelector('.claim').open);
  await page.locator('.claim > summary').first().focus();
  const before = await state();
  await page.keyboard.press('Enter');
  const turned = await state();
  await page.keyboard.press('Enter');
  claim(turned !== before && await state() === before, 'Enter opens and closes a result', `${before}, ${turned}, ${before}`);
  await page.evaluate(() => { document.querySelector('#c2').open = false; location.hash = '#c2'; });
  await page.waitForFunction(() => document.querySelector('#c2').open, null, { timeout: 5000 }).then(
    () => claim(true, 'a link to a closed result opens it', '#c2'),
    () => claim(false, 'a link to a closed result opens it', '#c2'));
  await page.close();
};

/** WCAG's contrast of two colours given as [red, green, blue]. */
const contrast = (one, other) => {
  const part = (value) => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([red, green, blue]) => 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};

/** The text of a page with the least contrast. */
const faintest = async (page) => {
  const colours = await page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour) => { context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data]; };
    const ground = (element) => {
      const own = rgb(getComputedStyle(element).backgroundColor);
      return own[3] === 255 || !element.parentElement ? own.slice(0, 3) : ground(element.parentElement);
    };
    const texts = document.querySelectorAll('.badge, p, dt, dd, td, th, label, textarea, pre, .legend, .formula, button, a, figure svg text');
    return [...texts].filter((text) => text.checkVisibility()).map((text) => {
      const style = getComputedStyle(text);
      return { what: `${text.tagName} ${text.className?.baseVal ?? text.className}`, ink: rgb(text.namespaceURI.endsWith('svg') ? style.fill : style.color).slice(0, 3), ground: ground(text) };
    });
  });
  return colours.map(({ what, ink, ground }) => ({ what, ratio: contrast(ink, ground) })).sort((a, b) => a.ratio - b.ratio)[0];
};

const looks = async (file, scheme) => {
  for (const width of WIDTHS) {
    const { page } = await open(file, width, scheme);
    if (option('--shots')) {
      mkdirSync(option('--shots'), { recursive: true });
      await page.screenshot({ path: join(option('--shots'), `${scheme}-${width}.png`), fullPage: true });
    }
    await openAll(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    claim(wide <= width, `nothing has to be scrolled sideways at ${width} pixels, ${scheme}`, `${wide} pixels`);
    const worst = await faintest(page);
    if (width === PHONE) claim(worst.ratio >= CONTRAST, `texts stand out, ${scheme}`, `${worst.ratio.toFixed(1)} to 1 at least (${worst.what.trim()})`);
    await page.close();
  }
};

const theme = async (file) => {
  const { page } = await open(file, 1200, 'dark');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const system = await ground();
  await page.locator('#theme').focus();
  await page.keyboard.press('Enter');
  const light = await ground();
  await page.keyboard.press('Enter');
  claim(system === await ground() && light !== system, 'the theme follows the system, or what is chosen', `${system}, ${light}`);
  await page.close();
};

/** Of many claims those with one verdict or one text are found, all are opened at once, and a chart says what a place in it stands for. */
const tools = async (file) => {
  const { page, seen } = await open(file, 1200, 'light');
  const shown = () => page.evaluate(() => [...document.querySelectorAll('.claim[data-badge]')].filter((one) => one.checkVisibility()).map((one) => one.dataset.badge));
  const everything = (await shown()).length;
  await page.locator('.counts a.number[data-filter="refuted"]').click();
  const failing = await shown();
  claim(failing.length > 0 && failing.length < everything && failing.every((badge) => badge === 'refuted'),
    'a count shows the claims that it counts', `${failing.length} of ${everything}`);
  await page.locator('#all').click();
  await page.locator('#find').fill('NOBODY');
  const found = await shown();
  claim(found.length === 1 && await page.locator('#found').textContent() === `1 of ${everything} claims`,
    'a claim is found by a part of its text', `${found.length} of ${everything}`);
  await page.locator('#all').click();
  await page.locator('#open').click();
  const closed = await page.locator('.claim[data-badge]:not([open])').count();
  claim((await shown()).length === everything && closed === 0, 'all claims are opened at once', `${closed} of ${everything} closed`);
  const chart = page.locator('#a2 figure svg').first();
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await chart.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 3);
  const value = await page.locator('.pointed').textContent();
  claim(/^[\d.]+\u202f(ns|µs|ms|s), \d+%$/.test(value), 'a chart says what the place at the pointer stands for', value);
  claim(seen.complaints.length === 0, 'the browser complains of no search', seen.complaints[0] ?? 'no message');
  await page.close();
};

/** The run with assertions: one that fails, with its limit among the calls, and one that nobody could judge. */
const asserting = async () => {
  const folder = join(work, 'asserting');
  cpSync(run, folder, { recursive: true });
  const path = join(folder, 'context.json');
  const context = JSON.parse(readFileSync(path, 'utf8'));
  const bound = 80;
  const relation = { left: { method: 2, share: 0.9, factor: 1 }, sign: '<=', right: null, bound_ns: bound, within: null };
  const assertion = (title) => ({ line: 9, title, text: `assert "${title}": p90(name) <= ${bound} ns`, methods: [2], relations: [relation] });
  context.assertions = [assertion('nobody knows'), assertion('quick')];
  context.methods[2].lack = { kind: 'never-called', open_ns: 3_000_000_000, lost: 0 };
  writeFileSync(path, JSON.stringify(context));
  const record = (number, result, truth, [p_true, p_false], parts, gaps) => ({
    schema: 'spl.assertion/1', number, result, title: context.assertions[number - 1].title, text: context.assertions[number - 1].text,
    relations: [`p90(name) <= ${bound} ns`], truth, basis: null, p_true, p_false, level: 0.05, leftover: false, drops: 0, parts, gaps,
  });
  const part = { relation: 1, text: '', bucket: '-', judged: { p_true: 1, p_false: 1e-9, left_ns: 334, right_ns: bound, n_left: 200, n_right: null }, reason: null };
  writeFileSync(join(folder, 'assertions.jsonl'), [
    record(1, 'undecided', 'undecided', [1, 1], [], ['nothing to judge: name: never called']),
    record(2, 'fails', 'false', [1, 1e-9], [part], []),
  ].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const file = report(folder, 'asserting.html');
  const { page, seen } = await open(file, 1200, 'light');
  await openAll(page);
  if (option('--shots')) await page.screenshot({ path: join(option('--shots'), 'asserting.png'), fullPage: true });
  const lines = await page.evaluate(() => [...document.querySelectorAll('#a2 figure svg')].map((svg) => {
    const frame = svg.getBoundingClientRect();
    const [limit] = [...svg.querySelectorAll('[stroke="var(--limit)"]')].map((line) => line.getBoundingClientRect());
    return limit && limit.left > frame.left && limit.right <= frame.right + 2 && limit.top >= frame.top - 2 && limit.bottom <= frame.bottom;
  }));
  claim(lines.length === 4 && lines.every(Boolean), 'the limit of an assertion is in all of its charts', `${lines.filter(Boolean).length} of ${lines.length}`);
  const order = await page.evaluate(() => [...document.querySelectorAll('.todo li a')].map((link) => link.hash));
  claim(order[0] === '#a2' && order.indexOf('#a1') > 0, 'what fails is to be done first', order.join(', '));
  claim(seen.complaints.length === 0, 'the browser complains of no assertion', seen.complaints[0] ?? 'no message');
  await page.close();
  await tools(file);
  for (const width of [1000, 1100, 1280]) {
    const { page: narrow } = await open(file, width, 'light');
    const gaps = await narrow.evaluate(() => {
      // The longest of the badges, wherever the run has it.
      const longest = [...document.querySelectorAll('.words .badge')].sort((one, other) => other.innerText.length - one.innerText.length)[0];
      document.querySelector('.counts .badge').replaceWith(longest.cloneNode(true));
      return [...document.querySelectorAll('.counts li')].map((line) =>
        line.querySelector('.meaning').getBoundingClientRect().left - line.querySelector('.badge').getBoundingClientRect().right);
    });
    claim(gaps.every((gap) => gap >= 0), `no badge lies under a text at ${width} pixels`, `${Math.min(...gaps).toFixed(0)} pixels between`);
    await narrow.close();
  }
};

/** The times of the methods have to be in sight, whatever else the table has. */
const methods = async (file) => {
  const { page } = await open(file, 1200, 'light');
  const right = await page.evaluate(() => {
    const cells = [...document.querySelectorAll('.methods [data-name="Average"], .methods [data-name="Median"], .methods [data-name="p99"]')];
    return Math.max(...cells.map((cell) => cell.getBoundingClientRect().right));
  });
  claim(right <= 1200, 'the times of the methods are in sight', `up to ${right.toFixed(0)} of 1200 pixels`);
  await page.close();
};

/** A run without claims: the same files without what was claimed. Its page has the methods with their figures and charts. */
const measuring = async () => {
  const folder = join(work, 'measuring');
  cpSync(run, folder, { recursive: true });
  const path = join(folder, 'context.json');
  const context = JSON.parse(readFileSync(path, 'utf8'));
  Object.assign(context, { comparisons: [], assertions: [] });
  writeFileSync(path, JSON.stringify(context));
  for (const name of ['result.eval', 'assertions.jsonl']) writeFileSync(join(folder, name), '');
  const file = report(folder, 'measuring.html');
  for (const [width, scheme] of WIDTHS.flatMap((width) => [[width, 'light'], [width, 'dark']])) {
    const { page, seen } = await open(file, width, scheme);
    await openAll(page);
    const found = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      charts: [...document.querySelectorAll('figure svg')].filter((svg) => svg.checkVisibility()).length,
      figures: [...document.querySelectorAll('.methods [data-name="Median"]')].filter((cell) => /\d/.test(cell.textContent) && cell.checkVisibility()).length,
      claims: document.querySelectorAll('[data-badge]').length,
    }));
    claim(found.wide <= width && found.charts > 4 && found.figures > 0 && found.claims === 0 && seen.complaints.length === 0,
      `a run without claims shows its methods at ${width} pixels, ${scheme}`, `${found.figures} medians, ${found.charts} charts, ${found.wide} pixels`);
    if (width === WIDTHS[0] && scheme === 'light') {
      const pdf = await page.pdf();
      claim(pdf.length > 50_000, 'it prints too', `${pdf.length} bytes of PDF`);
    }
    await page.close();
  }
};

/** A run whose texts would run a script if they became markup. */
const hostile = async () => {
  const folder = join(work, 'hostile');
  cpSync(run, folder, { recursive: true });
  const path = join(folder, 'context.json');
  const context = JSON.parse(readFileSync(path, 'utf8'));
  const text = '"\'></title></style></script><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>';
  context.tasks_file = text;
  context.programs.forEach((program) => { program.command = text; program.java = text; });
  context.methods.forEach((method) => { method.remark = text; });
  context.settings.forEach((setting) => { setting.value = text; });
  writeFileSync(path, JSON.stringify(context));
  const { page, seen } = await open(report(folder, 'hostile.html'), 1200, 'light');
  await openAll(page);
  const grown = await page.evaluate(() => document.querySelectorAll('img, script').length);
  claim(seen.dialogs === 0 && grown === 1 && seen.complaints.length === 0, "a program's texts stay texts", `${grown} script, ${seen.dialogs} dialogs`);
  await page.close();
};

const picture = async (file, path) => {
  const { page } = await open(file, 1080, 'light');
  await page.setViewportSize({ width: 1080, height: 900 });
  // The verdicts, and one claim with the reason why it fails: what a reader comes for. What measuring cost is left out.
  await page.evaluate(() => {
    const section = document.querySelector('section[aria-labelledby=why]');
    const [, first, ...others] = section.querySelectorAll(':scope > details');
    const sections = [...document.querySelectorAll('main > section')].filter((one) => one !== section && !one.classList.contains('summary'));
    const unwanted = [...sections, ...others, ...document.querySelectorAll('.summary .todo ~ *, .todo li + li, #tools, .tools, .sides details, footer')];
    unwanted.forEach((part) => part.remove());
    document.querySelectorAll('time').forEach((time) => { time.textContent = time.textContent.replace(/, \d+:.*/, ''); });
    first.open = true;
    // The script shows a part of a large graph; the picture has all of it.
    document.querySelectorAll('.graph svg').forEach((svg) => {
      const { x, y, width, height } = svg.getBBox();
      svg.setAttribute('viewBox', [x - 6, y - 6, width + 12, height + 12].join(' '));
      svg.setAttribute('height', height + 12);
    });
    document.querySelectorAll('.graph').forEach((graph) => { graph.style.maxHeight = 'none'; });
  });
  await page.screenshot({ path, fullPage: true });
  const { size } = statSync(path);
  claim(size < PICTURE_BYTES, 'the picture is small', `${size} bytes`);
  await page.close();
};

try {
  const file = report(run, 'report.html');
  await contents(file);
  await keyboard(file);
  await looks(file, 'light');
  await looks(file, 'dark');
  await theme(file);
  await methods(file);
  await asserting();
  await measuring();
  await hostile();
  const reasons = report(join(runs, 'planted'), 'reasons.html');
  await graphs({ claim, open, openAll, contrast }, join(runs, 'drill.html'), reasons);
  await timeline({ claim, open, contrast }, join(runs, 'timeline.html'));
  await pages({ claim, open, faintest }, spl, runs, work);
  if (option('--picture')) await picture(reasons, option('--picture'));
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
process.exitCode = failed ? 1 : 0;
