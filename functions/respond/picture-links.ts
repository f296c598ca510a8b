import { Hono } from 'hono';
import { pngOf } from '../../shared/charts/png.ts';
import { svgOf } from '../../shared/charts/svg.ts';
import type { LinkSigner } from '../../shared/messages/link-purposes.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { lastUsed } from './last-used.ts';
import { type PictureDeps, pictureOf } from './pictures.ts';

/** Rendered charts in the cache. Every reader of a channel fetches the charts of its last messages. */
const KEPT = 20;

/** Content types by file extension. */
const PICTURE_TYPES = { png: 'image/png', svg: 'image/svg+xml' } as const;

export interface PictureLinkDeps extends PictureDeps {
  signer: LinkSigner;
  clock: Clock;
  logger: Logger;
}

/** The chart images of messages. A chart does not change while its link is valid. */
export function pictureLinks(deps: PictureLinkDeps): Hono {
  const { signer, clock, logger } = deps;
  const app = new Hono();
  const drawnLast = lastUsed<Uint8Array<ArrayBuffer> | string>(KEPT);
  app.get('/:file', async (c) => {
    const named = /^(?<token>.+)\.(?<format>png|svg)$/.exec(c.req.param('file'))?.groups;
    const verified = await signer.verify('picture', named?.token ?? '');
    if (verified.kind !== 'valid') return c.body(null, verified.kind === 'expired' ? 410 : 404);
    const format = named?.format === 'svg' ? 'svg' : 'png';
    const tag = `"${verified.id}-${format}"`;
    const seconds = Math.max(0, Math.floor((verified.expiresAt - clock.now()) / 1000));
    const kept = { ETag: tag, 'Cache-Control': `private, max-age=${seconds}, immutable` };
    if (c.req.header('if-none-match') === tag) return c.body(null, 304, kept);
    const type = { ...kept, 'Content-Type': PICTURE_TYPES[format] };
    const before = drawnLast.find(tag);
    if (before !== undefined) return c.body(before, 200, type);
    try {
      const chart = await pictureOf(verified.claims, deps);
      if (!chart) return c.body(null, 404);
      const drawn = format === 'svg' ? await svgOf(chart) : Uint8Array.from(await pngOf(chart));
      drawnLast.keep(tag, drawn);
      return c.body(drawn, 200, type);
    } catch (error) {
      // The cause is for the log, not for readers of the message.
      logger.error('a chart could not be rendered', { error });
      return c.body(null, 500);
    }
  });
  return app;
}
