import type { Context, Hono } from 'hono';
import { ICON, STYLE } from '../../../shared/pages/style.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';

/** A file that all pages share. Its URL contains a hash of the content, so that browsers can cache it. */
interface Asset {
  path: string;
  text: string;
  type: string;
}

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

const STYLE_ASSET: Asset = { path: '/style.css', text: STYLE, type: 'text/css; charset=utf-8' };
const SCRIPT_ASSET: Asset = { path: '/page.js', text: SCRIPT, type: 'text/javascript; charset=utf-8' };
const ICON_ASSET: Asset = { path: '/icon.svg', text: ICON, type: 'image/svg+xml' };

export const STYLE_URL = urlOf(STYLE_ASSET);
export const SCRIPT_URL = urlOf(SCRIPT_ASSET);
export const ICON_URL = urlOf(ICON_ASSET);

export function addAssets(page: Hono): void {
  for (const asset of [STYLE_ASSET, SCRIPT_ASSET, ICON_ASSET])
    page.get(asset.path, (c) => respondWith(c, asset));
}

function urlOf({ path, text }: Asset): string {
  return `${path}?v=${contentHash(text)}`;
}

function respondWith(c: Context, asset: Asset): Response {
  const isCurrent = `${asset.path}?v=${c.req.query('v')}` === urlOf(asset);
  const cache = isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
  return c.body(asset.text, 200, { 'Content-Type': asset.type, 'Cache-Control': cache });
}
