/**
 * The only script of the pages, which work without it. It offers the time zone of the browser, and prevents a form from
 * being submitted twice.
 */
export const SCRIPT = `'use strict';
for (const select of document.querySelectorAll('[data-zones]')) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && ![...select.options].some((option) => option.value === zone)) select.add(new Option(zone, zone));
}
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
`;
