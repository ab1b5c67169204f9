// Looks at the page of a traced program's slowest calls: it has no script, so all of it has to be there at once.

const PHONE = 390;
const CONTRAST = 4.5;

/** Drawings hold their boxes, links lead to them, and a phone shows the page without scrolling it sideways. */
const whole = async ({ claim, open }, file, scheme) => {
  const { page, seen } = await open(file, PHONE, scheme, { javaScriptEnabled: false });
  const found = await page.evaluate(() => {
    const drawings = [...document.querySelectorAll('.icicles svg')].map((svg) => {
      const frame = svg.getBoundingClientRect();
      const boxes = [...svg.querySelectorAll('.b')];
      const inside = (box) => {
        const place = box.getBoundingClientRect();
        return place.left >= frame.left - 1 && place.right <= frame.right + 1 && place.top >= frame.top - 1 && place.bottom <= frame.bottom + 1;
      };
      return boxes.length > 0 && boxes.every((box) => box.querySelector('title') && inside(box));
    });
    const links = [...document.querySelectorAll('a[href^="#"]')].map((one) => document.getElementById(one.getAttribute('href').slice(1)));
    const rows = document.querySelectorAll('#calls tbody tr').length;
    return { drawings, rows, dead: links.filter((target) => !target).length, links: links.length, wide: document.documentElement.scrollWidth };
  });
  claim(found.drawings.length === found.rows && found.rows > 0 && found.drawings.every(Boolean),
    `calls over time: each of the calls is drawn, with its boxes inside, ${scheme}`, `${found.drawings.filter(Boolean).length} of ${found.rows}`);
  claim(found.dead === 0 && found.links > found.rows, `calls over time: links lead to drawings, ${scheme}`, `${found.links} links`);
  claim(found.wide <= PHONE, `calls over time: nothing has to be scrolled sideways at ${PHONE} pixels, ${scheme}`, `${found.wide} pixels`);
  claim(seen.requests.length === 0 && seen.complaints.length === 0, `calls over time: no request and no complaint, ${scheme}`,
    seen.requests[0] ?? seen.complaints[0] ?? 'none');
  await page.close();
};

/** Names stand out from the colours of their boxes. */
const colours = async ({ claim, open, contrast }, file, scheme) => {
  const { page } = await open(file, 1280, scheme);
  const inks = await page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour) => { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3); };
    return [...document.querySelectorAll('.icicles .b:has(text)')].map((box) => ({
      ink: rgb(getComputedStyle(box.querySelector('text')).fill), ground: rgb(getComputedStyle(box.querySelector('rect')).fill),
    }));
  });
  const worst = Math.min(...inks.map(({ ink, ground }) => contrast(ink, ground)));
  claim(inks.length > 0 && worst >= CONTRAST, `calls over time: names stand out in their boxes, ${scheme}`, `${worst.toFixed(1)} to 1 at least, of ${inks.length}`);
  await page.close();
};

/** The page of `spl trace timeline`. */
export const timeline = async (tools, file) => {
  for (const scheme of ['light', 'dark']) {
    await whole(tools, file, scheme);
    await colours(tools, file, scheme);
  }
};
