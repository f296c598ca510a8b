import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html, View } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import { assetUrl } from './assets.ts';
import { shortcutsDialog } from './shortcuts.ts';

const SECTIONS = [
  ['/', 'Overview'],
  ['/alerts', 'Alerts'],
  ['/rules', 'Rules'],
  ['/timeline', 'Timeline'],
  ['/silences', 'Silences'],
  ['/deliveries', 'Deliveries'],
  ['/health', 'Health'],
] as const;

/** `live.js` comes before scripts that change the page. */
const SCRIPTS = ['page.js', 'live.js', 'keys.js'] as const;

/** A page with an entry in the menu. */
export interface Section {
  path: string;
  name: string;
  /** The page with times in `zone`. */
  view: (zone: string, c: Context) => View | Promise<View>;
  /** What its form does: returns a page that says what is wrong, or the path to go to. */
  submit?: (viewer: Viewer, c: Context) => Promise<View | string>;
}

export interface Frame {
  path: string;
  /** The code of the result of the last form. */
  done?: string | undefined;
  sections?: Section[] | undefined;
  /** The base URL of the data access service. The footer links to its documentation. */
  dataAccessUrl?: string | undefined;
  canSignOut?: boolean | undefined;
  /** The page can be loaded again at its address, at little cost. */
  isLive?: boolean;
}

/** A complete HTML document. Without a frame it has no menu and no script, for visitors without a session. */
export function layout(view: View, frame?: Frame): Html {
  const brand = html`<img src="${assetUrl('icon.svg')}" alt="" width="24" height="24">Deltawatch`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${view.refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${view.refreshSeconds}">`}
<title>${view.title} · Deltawatch</title>
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('style.css')}">
${frame && SCRIPTS.map((name) => html`<script src="${assetUrl(name)}" type="module"></script>`)}
</head>
<body>
${frame && html`<a class="skip" href="#main">Skip to content</a>`}
<header class="top"><div class="bar">
${frame ? html`<a class="brand" href="/">${brand}</a>${menu(frame)}` : html`<span class="brand">${brand}</span>`}
</div></header>
<main id="main" tabindex="-1"${frame?.isLive && view.status === undefined && view.refreshSeconds === undefined && html` data-live`}>
${noticeOf(frame?.done)}
${view.body}
</main>
${frame && footer(frame)}
</body>
</html>`;
}

function menu({ path, sections = [] }: Frame): Html {
  const links = [...SECTIONS, ...sections.map((section) => [section.path, section.name] as const)];
  return html`<nav class="menu" aria-label="Sections">${links.map(
    ([href, name]) => html`<a href="${href}"${isOpen(href, path) && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
}

function footer({ dataAccessUrl, canSignOut }: Frame): Html {
  return html`<footer class="bar quiet">Deltawatch${dataAccessUrl !== undefined && html` · <a href="${dataAccessUrl}/docs">Data access API</a>`}${canSignOut && html` <form method="post" action="/sign-out"><button>Sign out</button></form>`} ${shortcutsDialog()} <span id="updated"></span></footer>`;
}

function isOpen(href: string, path: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}

export function messageView(title: string, ...paragraphs: (Html | string)[]): View {
  return { title, body: html`<h1>${title}</h1>${paragraphs.map((text) => html`<p>${text}</p>`)}` };
}

export function notFoundView(what: string): View {
  const why = `This ${what} does not exist. It may have been renamed or removed.`;
  const links = html`<a href="/">Overview</a> · <a href="/rules">Rules</a>`;
  return { ...messageView('Not found', why, links), status: 404 };
}

/** The results of forms, by the code in the redirect: `?done=answered`. Unknown codes show nothing. */
const NOTICES = {
  answered: 'Your answer is recorded. Channels that need to know are notified.',
  'too-late':
    'Nothing changed: the state is different from the one you saw. This page shows the current state.',
  again: 'This form was already submitted. Nothing changed.',
  silenced: 'Silence added. Matching alerts are evaluated but send no notifications.',
  unsilenced: 'Silence ended. Alerts that still fire will be sent.',
  written: 'The rule is written to the folder of the rules, deployed, and evaluated for its last window.',
  noted: 'Note added. The charts of this app mark it.',
  invalid: 'Nothing changed: a value in the form is missing or invalid.',
} as const;
export type Notice = keyof typeof NOTICES;

const FAILURES: readonly Notice[] = ['too-late', 'invalid'];

function noticeOf(code = ''): Html | undefined {
  const notice = Object.keys(NOTICES).find((each): each is Notice => each === code);
  if (!notice) return undefined;
  return html`<p class="flash${FAILURES.includes(notice) && ' bad'}" role="status">${NOTICES[notice]}</p>`;
}

/** `path` with the code of a notice. */
export function withNotice(path: string, word: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${word}`;
}
