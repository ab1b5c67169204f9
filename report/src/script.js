'use strict';
(() => {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const themes = ['system', 'light', 'dark'];
  // A page from a file may have no storage.
  const stored = () => { try { return localStorage.getItem('spl-theme'); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem('spl-theme', theme); } catch { /* it lasts until the page is closed */ } };
  const show = (theme) => {
    if (theme === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
    button.textContent = `Theme: ${theme}`;
  };
  let theme = themes.includes(stored()) ? stored() : 'system';
  show(theme);
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    store(theme);
    show(theme);
  });

  for (const when of document.querySelectorAll('time[data-unix-ms]')) {
    when.textContent = new Date(Number(when.dataset.unixMs)).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  }

  // A link into a closed part of the page opens it.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener('hashchange', open);
  open();

  // Of many claims those with one verdict, or with a text in their line.
  const tools = document.getElementById('tools');
  if (tools) {
    const [find, found, all, opener] = ['find', 'found', 'all', 'open'].map((id) => document.getElementById(id));
    const claims = [...document.querySelectorAll('[data-badge]')];
    const text = (claim) => ((claim.querySelector(':scope > summary') ?? claim).textContent
      + (claim.querySelector(':scope .full')?.textContent ?? '')).toLowerCase();
    let badge = '';
    const shown = () => claims.filter((claim) => !claim.hidden);
    const apply = () => {
      const wanted = find.value.trim().toLowerCase();
      for (const claim of claims) claim.hidden = (badge !== '' && claim.dataset.badge !== badge) || !text(claim).includes(wanted);
      const some = badge !== '' || wanted !== '';
      found.textContent = some ? `${shown().length} of ${claims.length} claims` : '';
      all.hidden = !some;
      for (const more of document.querySelectorAll('details.more')) if (some && more.querySelector('tr[data-badge]:not([hidden])')) more.open = true;
      for (const link of document.querySelectorAll('[data-filter]')) {
        if (link.dataset.filter === badge) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    };
    for (const link of document.querySelectorAll('[data-filter]')) {
      link.addEventListener('click', (event) => {
        event.preventDefault();
        badge = badge === link.dataset.filter ? '' : link.dataset.filter;
        apply();
        if (badge !== '') tools.scrollIntoView();
      });
    }
    find.addEventListener('input', apply);
    all.addEventListener('click', () => { badge = ''; find.value = ''; apply(); find.focus(); });
    opener.addEventListener('click', () => {
      const those = shown().filter((claim) => claim instanceof HTMLDetailsElement);
      const opens = those.some((claim) => !claim.open);
      those.forEach((claim) => { claim.open = opens; });
      opener.textContent = opens ? 'Close all' : 'Open all';
    });
    tools.hidden = false;
  }

  // What a place in a chart stands for.
  const digits = (value) => String(Number(value.toPrecision(3)));
  const time = (ns) => {
    const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([least]) => ns >= least * 0.9995) ?? [1, 'ns'];
    return `${digits(ns / size)}\u202f${unit}`;
  };
  const values = {
    ns: time,
    'log-ns': (at) => time(10 ** at),
    s: (at) => `${digits(at)}\u202fs`,
    share: (at) => `${Math.round(at * 100)}%`,
    count: (at) => String(Math.max(0, Math.round(at))),
    'log-quotient': (at) => `${digits(2 ** at)}×`,
  };
  const value = (axis, at) => {
    const [scale, from, to, low, high] = axis.split(' ').map((part, index) => (index === 0 ? part : Number(part)));
    const part = (at - from) / (to - from);
    return part < 0 || part > 1 ? '' : values[scale](low + (high - low) * part);
  };
  const pointed = document.createElement('span');
  pointed.className = 'pointed';
  for (const chart of document.querySelectorAll('svg[data-x]')) {
    chart.addEventListener('pointermove', (event) => {
      const frame = chart.getBoundingClientRect();
      const across = (event.clientX - frame.left) / frame.width * chart.viewBox.baseVal.width;
      const down = (event.clientY - frame.top) / frame.height * chart.viewBox.baseVal.height;
      const [x, y] = [value(chart.dataset.x, across), value(chart.dataset.y, down)];
      if (x === '' || y === '') {
        pointed.remove();
        return;
      }
      pointed.textContent = `${x}, ${y}`;
      chart.parentElement.append(pointed);
    });
    chart.addEventListener('pointerleave', () => pointed.remove());
  }

  // Paper cannot be opened.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach((details) => { details.open = false; }));
})();
