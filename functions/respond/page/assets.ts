import type { Hono } from 'hono';
import { PLOT_FILES, readPackedFile } from '../../../shared/charts/packed-files.ts';
import { ICON, STYLE } from '../../../shared/pages/style.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

const readText = (file: string) => readPackedFile(file, import.meta.url).toString();

/** The files of all pages. The scripts are an enhancement: each page works without them. */
const TEXTS = {
  'style.css': STYLE,
  'icon.svg': ICON,
  'page.js': readText('../browser/page.js'),
  'live.js': readText('../browser/live.js'),
  'keys.js': readText('../browser/keys.js'),
  'chart.js': readText('../browser/chart.js'),
  'chart.css': readText('../browser/chart.css'),
  'uplot.js': readText(PLOT_FILES.script),
  'uplot.css': readText(PLOT_FILES.style),
};
type Name = keyof typeof TEXTS;

export const ASSETS_PATH = '/assets';

/** The URL of a file has a hash of its content, so that browsers can cache it. */
export function assetUrl(name: Name): string {
  return `${ASSETS_PATH}/${name}?v=${contentHash(TEXTS[name])}`;
}

export function addAssets(page: Hono): void {
  for (const [name, text] of Object.entries(TEXTS)) {
    const version = contentHash(text);
    const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES];
    page.get(`${ASSETS_PATH}/${name}`, (c) => {
      const isCurrent = c.req.query('v') === version;
      const cache = isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
      return c.body(text, 200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': cache });
    });
  }
}
