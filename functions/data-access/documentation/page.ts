import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { pascal } from './json-schema.ts';
import type { OpenApi } from './openapi-model.ts';
import { operationOf } from './operations.ts';
import { endpointsOf, resourceSection } from './page-endpoints.ts';
import { type Html, heading, listing, prose } from './page-parts.ts';
import { attributesSection, errorsSection, metricsSection, operatorsSection } from './page-reference.ts';
import { ICON, STYLE } from './page-style.ts';
import { TOPICS } from './topics.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page contains its style sheet, loads nothing and runs no script. */
export const DOCS_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const REFERENCE = [
  ['attributes', 'Attributes'],
  ['operators', 'Operators'],
  ['metrics', 'Metrics'],
  ['errors', 'Errors'],
] as const;

/** The API reference. Its commands call the service at `origin`, such as `https://data.example.com`. */
export function docsPage(api: OpenApi, origin: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Data access</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="frame">
${contents(api)}
<main id="main">
${introduction(api, origin)}
${TOPICS.map(({ id, title, paragraphs }) => html`<section class="topic" aria-labelledby="${id}">${heading(2, id, title)}${paragraphs.map((text) => html`<p>${prose(text)}</p>`)}</section>`)}
${api.tags.map(({ name }) => resourceSection(api, name, origin))}
${attributesSection()}
${operatorsSection()}
${metricsSection()}
${errorsSection()}
</main>
</div>
</body>
</html>`;
}

function contents(api: OpenApi): Html {
  const link = ([id, name]: readonly [string, string]) => html`<li><a href="#${id}">${name}</a></li>`;
  return html`<nav aria-label="Contents">
<p class="brand"><img src="data:image/svg+xml,${encodeURIComponent(ICON)}" alt="" width="24" height="24"><a href="#main">Data access</a></p>
<p class="group">Basics</p>
<ul>${TOPICS.map(({ id, title }) => link([id, title]))}</ul>
${api.tags.map(
  ({ name }) => html`<p class="group"><a href="#${name}">${pascal(name)}s</a></p>
<ul>${endpointsOf(name).map((endpoint) => {
    const { operationId, summary } = operationOf(endpoint);
    const badge = endpoint.style === 'legacy' && html` <span class="quiet">legacy</span>`;
    return html`<li><a href="#${operationId}">${summary}</a>${badge}</li>`;
  })}</ul>`,
)}
<p class="group">Reference</p>
<ul>${REFERENCE.map(link)}</ul>
</nav>`;
}

function introduction(api: OpenApi, origin: string): Html {
  return html`<h1>${api.info.title}</h1>
<p class="lead">${api.info.description.split('\n', 1)}</p>
<p>${prose('The commands on this page read the API key from a variable. Set it once, and replace `shop` with the id of your app:')}</p>
${listing('Command: set the key', 'read -rs API_KEY # paste the key; it is not shown and not kept in the history')}
<p>The OpenAPI ${api.openapi} document is at <a href="/openapi.json">${origin}/openapi.json</a>.</p>`;
}
