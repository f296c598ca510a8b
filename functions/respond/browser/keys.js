// The keyboard shortcuts, which the dialog of the page lists. They are off in fields, and anybody can turn them off.
const OFF = 'shortcuts-off';
/** @param {string} selector @returns {HTMLElement | null} */
const find = (selector) => document.querySelector(selector);
const help = () => /** @type {HTMLDialogElement | null} */ (find('#shortcuts'))?.showModal();

/** @type {Record<string, string>} */
const PLACES = { o: '/', a: '/alerts', r: '/rules', t: '/timeline' };
/** @type {Record<string, () => void>} */
const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  x: () => find('tr:focus-within [type=checkbox]')?.click(),
  a: acknowledge,
  '/': filter,
  '?': help,
};

let isGoing = false;
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isField =
    target instanceof Element && target.closest('input:not([type=checkbox]), select, textarea, dialog');
  if (isField || ctrlKey || metaKey || altKey || localStorage.getItem(OFF)) return;
  const place = isGoing ? PLACES[key] : undefined;
  isGoing = key === 'g';
  const act = place === undefined ? ACTIONS[key] : () => location.assign(place);
  if (!act) return;
  event.preventDefault();
  act();
});
find('#show-shortcuts')?.addEventListener('click', help);
const toggle = find('#shortcuts-on');
if (toggle instanceof HTMLInputElement) {
  toggle.checked = !localStorage.getItem(OFF);
  toggle.addEventListener('change', () => localStorage.setItem(OFF, toggle.checked ? '' : 'yes'));
}

/** Focuses the link of another row, so that Enter opens it. @param {number} step */
function move(step) {
  const rows = [...document.querySelectorAll('main tbody tr:has(a)')];
  const at = rows.findIndex((row) => row.matches(':focus-within'));
  rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]?.querySelector('a')?.focus();
}

/** Goes to the button of the form, or to what it still needs. Enter then confirms. */
function acknowledge() {
  if (!find('tbody :checked')) find('tr:focus-within [name=alert]')?.click();
  (find('form.answer input:invalid') ?? find('form.answer [value=acknowledge]'))?.focus();
}

function filter() {
  const fold = find('.fold');
  if (fold instanceof HTMLDetailsElement) fold.open = true;
  find('.filters :is(input, select)')?.focus();
}
