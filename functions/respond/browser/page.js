// On every page: prevents a form from being submitted twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
}
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
