import type { Context, Env, Hono } from 'hono';
import { contentHash } from '../../../shared/alerting/text/content-hash.ts';
import { ICON, STYLE } from '../../../shared/pages/style.ts';
import { SCRIPT } from './script.ts';

/** A part that all pages share. Its address changes with what it is, so that browsers may keep it. */
interface Asset {
  path: string;
  text: string;
  type: string;
}

const STYLE_ASSET: Asset = { path: '/style.css', text: STYLE, type: 'text/css; charset=utf-8' };
const SCRIPT_ASSET: Asset = { path: '/page.js', text: SCRIPT, type: 'text/javascript; charset=utf-8' };
const ICON_ASSET: Asset = { path: '/icon.svg', text: ICON, type: 'image/svg+xml' };

export const STYLE_URL = addressOf(STYLE_ASSET);
export const SCRIPT_URL = addressOf(SCRIPT_ASSET);
export const ICON_URL = addressOf(ICON_ASSET);

export function addAssets<E extends Env>(page: Hono<E>): void {
  for (const asset of [STYLE_ASSET, SCRIPT_ASSET, ICON_ASSET]) page.get(asset.path, (c) => give(c, asset));
}

function addressOf({ path, text }: Asset): string {
  return `${path}?v=${contentHash(text)}`;
}

function give(c: Context, asset: Asset): Response {
  const isCurrent = `${asset.path}?v=${c.req.query('v')}` === addressOf(asset);
  const cache = isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
  return c.body(asset.text, 200, { 'Content-Type': asset.type, 'Cache-Control': cache });
}
