/**
 * All the script that the page has. Everything works without it: it offers the browser's own time zone, and sees to it
 * that a form is sent once however often its button is pressed.
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
