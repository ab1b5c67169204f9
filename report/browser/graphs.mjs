// Looks at the graphs of methods on a page: without a script, by keyboard, on a phone, on paper, and in both colour schemes.

const PHONE = 390;
// A graph beside its table, or one side of a claim beside the other.
const WIDE = 1280;
// WCAG 2.1, 1.4.3: the least contrast of small text.
const CONTRAST = 4.5;

/** Without a script everything is there: boxes with numbers, the table, and no tools that do nothing. */
const bare = async ({ claim, open, openAll }, file, name) => {
  for (const scheme of ['light', 'dark']) {
    const { page, seen } = await open(file, PHONE, scheme, { javaScriptEnabled: false });
    await openAll(page);
    const found = await page.evaluate(() => {
      const graphs = [...document.querySelectorAll('.graph svg')].map((svg) => {
        const frame = svg.getBoundingClientRect();
        const boxes = [...svg.querySelectorAll('.b')];
        const inside = boxes.filter((box) => {
          const place = box.getBoundingClientRect();
          return place.left >= frame.left - 1 && place.right <= frame.right + 1 && place.top >= frame.top - 1 && place.bottom <= frame.bottom + 1;
        });
        const counted = boxes.filter((box) => [...box.querySelectorAll('text')].some((text) => /\d runs?$|never run|a call$/.test(text.textContent)));
        const rows = svg.closest('section').querySelectorAll('tr[id]').length;
        return boxes.length > 0 && inside.length === boxes.length && counted.length === boxes.length && rows === boxes.length;
      });
      const tools = [...document.querySelectorAll('.tools')].filter((one) => one.checkVisibility()).length;
      const never = [...document.querySelectorAll('.b.h0 > rect:not(.in)')].map((box) => getComputedStyle(box).fill);
      const hatched = document.querySelector('#never')?.closest('svg').checkVisibility() && never.every((fill) => fill.includes('never'));
      return { graphs, tools, hatched: hatched || never.length === 0, wide: document.documentElement.scrollWidth };
    });
    claim(found.graphs.length > 0 && found.graphs.every(Boolean) && found.tools === 0 && found.hatched,
      `${name}: graphs and tables are whole without a script, ${scheme}`, `${found.graphs.filter(Boolean).length} of ${found.graphs.length}`);
    claim(found.wide <= PHONE, `${name}: nothing has to be scrolled sideways at ${PHONE} pixels, ${scheme}`, `${found.wide} pixels`);
    claim(seen.requests.length === 0, `${name}: nothing is asked of the network, ${scheme}`, seen.requests[0] ?? 'no request');
    await page.close();
  }
};

/** Numbers stand out from the colours of their boxes. */
const colours = async ({ claim, open, contrast }, file, name) => {
  for (const scheme of ['light', 'dark']) {
    const { page } = await open(file, WIDE, scheme);
    const inks = await page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const rgb = (colour) => { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3); };
      return [...document.querySelectorAll('.b:not(.h0):has(text)')].map((box) => ({
        what: box.getAttribute('class'), ink: rgb(getComputedStyle(box.querySelector('text')).fill), ground: rgb(getComputedStyle(box.querySelector('rect')).fill),
      }));
    });
    const [worst] = inks.map(({ what, ink, ground }) => ({ what, ratio: contrast(ink, ground) })).sort((a, b) => a.ratio - b.ratio);
    claim(worst?.ratio >= CONTRAST, `${name}: numbers stand out in their boxes, ${scheme}`, `${worst?.ratio.toFixed(1)} to 1 at least (${worst?.what})`);
    await page.close();
  }
};

/** By keyboard alone a graph is moved, zoomed, turned and thinned out, and a block shows its figures. */
const keys = async ({ claim, open }, file, name) => {
  const { page, seen } = await open(file, WIDE, 'light');
  const section = page.locator('section.method:has(svg)').first();
  const state = () => section.evaluate((one) => ({
    view: one.querySelector('.graph svg').getAttribute('viewBox'),
    first: one.querySelector('.b').getAttribute('transform'),
    places: [...one.querySelectorAll('.b')].map((box) => { const { left, top, right, bottom } = box.getBoundingClientRect(); return [left, top, right, bottom]; }),
    flipped: one.querySelector('[data-do=flip]').getAttribute('aria-pressed'),
    hidden: one.querySelectorAll('.b.none').length,
    kept: [...one.querySelectorAll('.b[data-keep="1"]')].every((box) => !box.classList.contains('none')),
    said: one.querySelector('output').textContent,
    figures: one.querySelector('p.figures').textContent,
    lit: one.querySelectorAll('tr.lit').length,
  }));
  const graph = section.locator('.graph');
  await graph.focus();
  const begin = await state();
  await page.keyboard.press('+');
  const zoomed = await state();
  await page.keyboard.press('ArrowDown');
  const moved = await state();
  await page.keyboard.press('0');
  const reset = await state();
  claim(zoomed.view !== begin.view && moved.view !== zoomed.view && reset.view === begin.view, `${name}: keys zoom, move and reset a graph`, reset.view);
  await page.keyboard.press('f');
  const turned = await state();
  const apart = turned.places.every((one, index) => turned.places.every((other, at) =>
    at <= index || one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1]));
  const right = Math.max(...turned.places.map(([left]) => left)) - turned.places[0][0];
  await page.keyboard.press('f');
  const back = await state();
  claim(turned.flipped === 'true' && apart && right > 0 && back.flipped === 'false' && back.first === begin.first,
    `${name}: a key turns a graph from left to right and back`, `${turned.places.length} boxes apart`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const chosen = await state();
  claim(/^Block: 0.* Runs: /.test(chosen.figures) && chosen.lit === 1, `${name}: Enter on a block shows its figures`, chosen.figures.slice(0, 60));
  await section.locator('input[type=range]').focus();
  await page.keyboard.press('End');
  const thin = await state();
  await page.keyboard.press('Home');
  const whole = await state();
  claim(thin.kept && whole.hidden === 0 && /^1000% of the calls; hidden: blocks \d+/.test(thin.said) && thin.said.includes(`blocks ${thin.hidden},`) && /all is shown/.test(whole.said),
    `${name}: the threshold hides rare blocks and keeps the entry`, thin.said);
  const pdf = await page.pdf();
  claim(pdf.length > 20_000, `${name}: it prints`, `${pdf.length} bytes of PDF`);
  claim(seen.complaints.length === 0 && seen.requests.length === 0, `${name}: the browser complains of nothing`, seen.complaints[0] ?? 'no message');
  await page.close();
};

/** Both sides of a claim stand side by side, below each other on a phone, and the cause is marked on the slow one. */
const sides = async ({ claim, open }, file) => {
  const places = async (width) => {
    const { page } = await open(file, width, 'light');
    const found = await page.evaluate(() => [...document.querySelectorAll('.sides')].map((pair) =>
      [...pair.querySelectorAll(':scope > section')].map((side) => {
        const { left, top, right, bottom } = side.getBoundingClientRect();
        const marks = [...side.querySelectorAll('.b.cause')];
        return { left, top, right, bottom, marks: marks.length, named: marks.every((mark) => mark.textContent.includes('the cause:')) };
      })));
    await page.close();
    return found;
  };
  const pairs = (all) => all.filter((pair) => pair.length === 2);
  const wide = pairs(await places(WIDE));
  claim(wide.length > 0 && wide.every(([slow, quick]) => slow.right <= quick.left && Math.abs(slow.top - quick.top) < 2),
    `both sides of a cause stand side by side at ${WIDE} pixels`, `${wide.length} pairs`);
  const narrow = pairs(await places(PHONE));
  claim(narrow.length === wide.length && narrow.every(([slow, quick]) => slow.bottom <= quick.top && quick.right <= PHONE),
    `both sides of a cause stand below each other at ${PHONE} pixels`, `${narrow.length} pairs`);
  const marks = wide.map(([slow, quick]) => [slow, quick].map(({ marks: all }) => all).join(' and '));
  claim(wide.some(([slow]) => slow.marks > 0) && wide.every(([slow, quick]) => slow.named && quick.marks === 0),
    'the block of a cause is marked on the slow side', marks.join(', '));
};

/** The tree of calls: each box hangs below one that is as wide, and its links lead to graphs by keyboard. */
const icicles = async ({ claim, open, openAll }, file) => {
  for (const scheme of ['light', 'dark']) {
    const { page } = await open(file, PHONE, scheme, { javaScriptEnabled: false });
    await openAll(page);
    const found = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.icicles .b > rect')].map((box) => box.getBoundingClientRect());
      const above = (box) => boxes.some((other) => Math.abs(other.bottom + 1 - box.top) < 1.5 && other.left <= box.left + 1 && other.right >= box.right - 1);
      const top = Math.min(...boxes.map((box) => box.top));
      return { boxes: boxes.length, hanging: boxes.filter((box) => box.top === top || above(box)).length, rows: document.querySelectorAll('#calls tbody tr').length };
    });
    claim(found.boxes > 5 && found.hanging === found.boxes && found.rows >= found.boxes, `each call hangs below its caller, ${scheme}`, `${found.hanging} of ${found.boxes}`);
    await page.close();
  }
  const { page } = await open(file, WIDE, 'light');
  await page.locator('.icicles').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const { hash, top } = await page.evaluate(() => ({ hash: location.hash, top: document.querySelector(location.hash || 'nothing')?.getBoundingClientRect().top }));
  claim(/^#m\d+$/.test(hash) && top > -2 && top < 900, 'Enter on a call leads to its graph', `${hash}, ${top} pixels below the top`);
  await page.close();
};

/** A block that is picked in the graph is marked in bytecode and source, and the other way round. */
const beside = async ({ claim, open }, file) => {
  const { page, seen } = await open(file, WIDE, 'light');
  const section = page.locator('section.method:has(.part)').first();
  const bytecode = section.locator('details.code:has(.part)');
  await bytecode.locator('summary').click();
  const part = section.locator('.part').last();
  const number = await part.getAttribute('data-b');
  const state = () => section.evaluate((one) => [...one.querySelectorAll('.lit')].map((lit) => lit.id || lit.getAttribute('data-b')));
  await part.locator('pre').click();
  const picked = await state();
  const id = await section.getAttribute('id');
  const wanted = [`${id}b${number}`, `${id}r${number}`, `${id}c${number}`];
  claim(wanted.every((one) => picked.includes(one)), 'bytecode marks its block in the graph and the table', picked.join(' '));
  await section.locator('.graph').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const entry = await state();
  claim([`${id}b0`, `${id}r0`, `${id}c0`].every((one) => entry.includes(one)), 'Enter on a block marks its bytecode', entry.join(' '));
  claim(seen.complaints.length === 0, 'the browser complains of nothing next to graphs', seen.complaints[0] ?? 'no message');
  await page.close();
  const bare = await open(file, PHONE, 'light', { javaScriptEnabled: false });
  const links = await bare.page.evaluate(() => [...document.querySelectorAll('.graph a, .part a, td a[href^="#"]')].filter((one) =>
    !document.getElementById(one.getAttribute('href').slice(1))).map((one) => one.getAttribute('href')));
  claim(links.length === 0, 'without a script all links of graphs and bytecode lead somewhere', links[0] ?? 'all');
  await bare.page.close();
};

/** The page of a drill, and a report with reasons. */
export const graphs = async (tools, drill, reasons) => {
  for (const [file, name] of [[drill, 'a drill'], [reasons, 'the reasons']]) {
    await bare(tools, file, name);
    await colours(tools, file, name);
    await keys(tools, file, name);
  }
  await sides(tools, reasons);
  await icicles(tools, drill);
  await beside(tools, drill);
};
