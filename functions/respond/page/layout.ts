import { html } from 'hono/html';
import type { Html, View } from '../../../shared/pages/html.ts';
import { ICON_URL, SCRIPT_URL, STYLE_URL } from './assets.ts';
import { zoneForm } from './zone-choice.ts';

const SECTIONS = [
  ['/', 'Overview'],
  ['/alerts', 'Alerts'],
  ['/rules', 'Rules'],
  ['/timeline', 'Timeline'],
  ['/silences', 'Silences'],
  ['/deliveries', 'Deliveries'],
  ['/health', 'Health'],
] as const;

/** A page with an entry in the menu. */
export interface Section {
  path: string;
  name: string;
  /** The page with times in `zone`. */
  view: (zone: string) => View;
}

export interface Frame {
  /** The path of the open section, and the full address of this page. */
  path: string;
  address: string;
  /** The result of the last form. */
  notice: Html | undefined;
  /** The time zone that the visitor chose. */
  zone: string | undefined;
  sections: Section[];
  dataAccessUrl: string | undefined;
  canSignOut: boolean;
}

/** A complete HTML document with the menu, a view and the footer. */
export function layout(view: View, frame: Frame): Html {
  const { path, address, notice, zone, sections, dataAccessUrl, canSignOut } = frame;
  const menu = [...SECTIONS, ...sections.map((section) => [section.path, section.name] as const)];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${view.refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${view.refreshSeconds}">`}
<title>${view.title} · Deltawatch</title>
<link rel="icon" href="${ICON_URL}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_URL}">
<script src="${SCRIPT_URL}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="bar">
<a class="brand" href="/"><img src="${ICON_URL}" alt="" width="24" height="24">Deltawatch</a>
<nav class="menu" aria-label="Sections">${menu.map(([href, name]) =>
    isOpen(href, path)
      ? html`<a href="${href}" aria-current="page">${name}</a>`
      : html`<a href="${href}">${name}</a>`,
  )}</nav>
${zoneForm(zone, address)}
</div></header>
<main id="main" tabindex="-1">
${notice}
${view.body}
</main>
<footer class="bar quiet">Deltawatch${dataAccessUrl !== undefined && html` · <a href="${dataAccessUrl}/docs">Data access API</a>`}${canSignOut && html` · <a href="/sign-out">Sign out</a>`}</footer>
</body>
</html>`;
}

function isOpen(href: string, path: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}

export function notFoundView(what: string): View {
  return {
    title: 'Not found',
    body: html`<h1>Not found</h1>
<p class="lead">This ${what} does not exist. It may have been renamed or removed.</p>
<p><a href="/">Overview</a> · <a href="/rules">Rules</a></p>`,
  };
}

/** The results of forms, by the code in the redirect: `?done=answered`. Unknown codes show nothing. */
const NOTICES = {
  answered: 'Your answer is recorded. Channels that need to know are notified.',
  'too-late':
    'Nothing changed: the state is different from the one you saw. This page shows the current state.',
  again: 'This form was already submitted. Nothing changed.',
  silenced: 'Silence added. Matching alerts are evaluated but send no notifications.',
  unsilenced: 'Silence ended. Alerts that still fire will be sent.',
  noted: 'Note added. The charts of this app mark it.',
  invalid: 'Nothing changed: a value in the form is missing or invalid.',
} as const;
export type Notice = keyof typeof NOTICES;

const FAILURES: ReadonlySet<string> = new Set<Notice>(['too-late', 'invalid']);

export function noticeOf(word: string | undefined): Html | undefined {
  if (word === undefined || !Object.hasOwn(NOTICES, word)) return undefined;
  const text = Object.entries(NOTICES).find(([name]) => name === word)?.[1];
  return html`<p class="flash${FAILURES.has(word) ? ' bad' : ''}" role="status">${text}</p>`;
}

/** `path` with the code of a notice. */
export function withNotice(path: string, word: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${word}`;
}
