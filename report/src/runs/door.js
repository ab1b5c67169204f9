const said = document.getElementById('said');
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
if (token) {
  said.textContent = 'Opening the pages …';
  fetch('enter', { method: 'POST', body: token }).then(async (answer) => {
    const text = await answer.text();
    if (answer.ok) location.replace(text);
    else said.textContent = text;
  }, () => { said.textContent = 'spl does not answer. Start spl pages --serve again, and open the address that it prints.'; });
}
