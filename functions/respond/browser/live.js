// Keeps a page current: loads it again every 30 seconds and when the visitor returns, and replaces what has changed.
const EVERY_MS = 30_000;

/** @param {HTMLElement} main @param {Element} said where the page says how old it is */
function keepCurrent(main, said) {
  let shown = contentOf(main);
  let filled = filledIn(main);
  let address = location.href;
  let shownAt = now();
  let isLoading = false;

  /** @param {string} text */
  function say(text, isBad = false) {
    said.textContent = text;
    said.className = isBad ? 'flash bad' : '';
    said.role = isBad ? 'alert' : null;
  }
  async function refresh() {
    if (isLoading || document.hidden) return;
    isLoading = true;
    try {
      const next = await load();
      if (contentOf(next) !== shown) {
        // A chart has loaded other windows, and is not filled in.
        if (location.href !== address) filled = filledIn(main);
        address = location.href;
        // A form that somebody fills in, or a chart that somebody zooms, stays as it is.
        if (filledIn(main) !== filled || main.querySelector('[data-busy]'))
          return say(`Updated ${shownAt}. There is news, which waits for your form`);
        shown = contentOf(next);
        replace(main, next);
        filled = filledIn(main);
        main.dispatchEvent(new Event('refreshed', { bubbles: true }));
      }
      shownAt = now();
      say(`Updated ${shownAt}`);
    } catch {
      say(`Not updated since ${shownAt}. Reload the page to see why.`, true);
    } finally {
      isLoading = false;
    }
  }
  say(`Updated ${shownAt}`);
  setInterval(refresh, EVERY_MS);
  addEventListener('focus', refresh);
  document.addEventListener('visibilitychange', refresh);
}

async function load() {
  const response = await fetch(location.href, { redirect: 'error', signal: AbortSignal.timeout(EVERY_MS) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const main = page.querySelector('main');
  if (!response.ok || !main) throw new Error(`the page answered ${response.status}`);
  return main;
}

const now = () =>
  new Date(performance.timeOrigin + performance.now()).toLocaleTimeString('en-GB', { timeStyle: 'long' });

/** The content without the ids of its forms, which always change. @param {HTMLElement} main */
const contentOf = (main) => main.innerHTML.replaceAll(/name="form" value="[^"]*"/g, '');

/** @param {HTMLElement} main */
const filledIn = (main) =>
  JSON.stringify([...main.querySelectorAll('form')].map((form) => [...new FormData(form)]));

/** Keeps the focus, what is folded, and what is at the top of the window. @param {HTMLElement} main @param {HTMLElement} next */
function replace(main, next) {
  const open = [...main.querySelectorAll('details[open]')].map(({ textContent }) => textContent);
  const focused = main.querySelector(':focus');
  const top = [...main.querySelectorAll('a')].find((link) => link.getBoundingClientRect().top >= 0);
  const before = top?.getBoundingClientRect().top ?? 0;
  main.replaceChildren(...next.childNodes);
  for (const each of main.querySelectorAll('details')) each.open = open.includes(each.textContent);
  /** @template {Element} T @param {T | null | undefined} gone @returns {T | undefined} */
  const again = (gone) =>
    /** @type {T[]} */ ([...main.querySelectorAll(gone?.tagName ?? 'none')]).find((each) =>
      each.isEqualNode(gone ?? null),
    );
  if (focused instanceof HTMLElement) (again(focused) ?? main).focus({ preventScroll: true });
  scrollBy(0, (again(top)?.getBoundingClientRect().top ?? before) - before);
}

/** @type {HTMLElement | null} */
const main = document.querySelector('main[data-live]');
const said = document.querySelector('#updated');
if (main && said) keepCurrent(main, said);
