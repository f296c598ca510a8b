// On every page: prevents a form from being submitted twice, ticks all boxes of a list, and copies texts.
const sent = new WeakSet();
addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
});
addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== 'all') return;
  for (const box of document.querySelectorAll('[name=alert]'))
    if (box instanceof HTMLInputElement) box.checked = target.checked;
});
for (const area of document.querySelectorAll('textarea')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(area.value);
    button.textContent = 'Copied';
  });
  area.closest('label')?.after(button);
}
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
