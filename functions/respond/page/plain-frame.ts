import { html } from 'hono/html';
import type { Html, View } from '../../../shared/pages/html.ts';
import { ICON_URL, STYLE_URL } from './assets.ts';

/** A complete HTML document without the menu, for visitors without a session. */
export function plainFrame({ title, body }: View): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Deltawatch</title>
<link rel="icon" href="${ICON_URL}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_URL}">
</head>
<body>
<header class="top"><div class="bar">
<span class="brand"><img src="${ICON_URL}" alt="" width="24" height="24">Deltawatch</span>
</div></header>
<main id="main">
${body}
</main>
</body>
</html>`;
}

/** A heading with paragraphs. */
export function messageView(title: string, ...paragraphs: (Html | string)[]): View {
  return { title, body: html`<h1>${title}</h1>${paragraphs.map((text) => html`<p>${text}</p>`)}` };
}
