import type { Hono } from 'hono';
import { ICON, STYLE } from '../../../shared/pages/style.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';

/** The only script of the pages, which work without it. It prevents a form from being submitted twice. */
const SCRIPT = `'use strict';
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

/** The files that all pages share. */
const ASSETS = {
  '/style.css': { text: STYLE, type: 'text/css; charset=utf-8' },
  '/page.js': { text: SCRIPT, type: 'text/javascript; charset=utf-8' },
  '/icon.svg': { text: ICON, type: 'image/svg+xml' },
} as const;
type Path = keyof typeof ASSETS;

/** The URL of a file has a hash of its content, so that browsers can cache it. */
export function assetUrl(path: Path): string {
  return `${path}?v=${contentHash(ASSETS[path].text)}`;
}

export function addAssets(page: Hono): void {
  for (const [path, { text, type }] of Object.entries(ASSETS))
    page.get(path, (c) => {
      const isCurrent = c.req.query('v') === contentHash(text);
      const cache = isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
      return c.body(text, 200, { 'Content-Type': type, 'Cache-Control': cache });
    });
}
