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

  // Paper cannot be opened.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach((details) => { details.open = false; }));
})();
