// On every page: prevents a form from being submitted twice, and copies texts.
for (const form of document.querySelectorAll('form[method="post"]')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
}
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
