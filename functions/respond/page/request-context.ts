import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { View } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { NAME_COOKIE } from '../visitors.ts';
import { layout, type Section } from './layout.ts';
import { noticeOf } from './notice.ts';
import { ZONE_COOKIE, zoneFrom } from './zone-choice.ts';

/** What every view is shown in. */
export interface Dress {
  clock: Clock;
  /** Where the figures come from; named in the footer. */
  dataAccessUrl?: string;
  /** Whether somebody who looks has signed in, and can sign out. */
  canSignOut?: boolean;
  /** Sections besides the page's own. */
  sections?: Section[];
  /** The name that whoever asks has proved; nobody's is known without it. */
  nameOf?: (c: Context) => Promise<string | undefined>;
}

/** What is known of a request before it is answered. */
export interface PageEnv {
  Variables: { knownName: string | undefined };
}

export const knowName = ({ nameOf }: Pick<Dress, 'nameOf'>) =>
  createMiddleware<PageEnv>(async (c, next) => {
    c.set('knownName', await nameOf?.(c));
    await next();
  });

export function viewerOf(c: Context<PageEnv>, clock: Clock): Viewer {
  const known = c.get('knownName');
  const name = known ?? (getCookie(c, NAME_COOKIE) ?? '').slice(0, 80);
  return { now: clock.now(), zone: zoneFrom(getCookie(c, ZONE_COOKIE)), name, isKnown: known !== undefined };
}

export function show(c: Context<PageEnv>, dress: Dress, view: View, status: 200 | 404 = 200) {
  const { search, pathname } = new URL(c.req.url);
  const { clock, dataAccessUrl, canSignOut = false, sections = [] } = dress;
  const around = {
    path: c.req.path,
    address: `${pathname}${search}`,
    notice: noticeOf(c.req.query('done')),
    zone: viewerOf(c, clock).zone,
    sections,
    dataAccessUrl,
    canSignOut,
  };
  return c.html(layout(view, around), status);
}
