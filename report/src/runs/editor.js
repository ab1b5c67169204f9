const form = document.querySelector('form.ask');
if (form) {
  const run = form.querySelector('button[value="table"]');
  form.addEventListener('keydown', (key) => {
    if (key.key === 'Enter' && (key.ctrlKey || key.metaKey)) { key.preventDefault(); form.requestSubmit(run); }
  });
}
