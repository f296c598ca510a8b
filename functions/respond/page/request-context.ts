import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { View } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { NAME_COOKIE } from '../visitors.ts';
import { layout, noticeOf, type Section } from './layout.ts';
import { ZONE_COOKIE, zoneFrom } from './zone-choice.ts';

/** What the frame of every page needs. */
export interface PageContext {
  clock: Clock;
  /** The base URL of the data access service. The footer links to its documentation. */
  dataAccessUrl?: string;
  /** Visitors sign in, so the footer links to the sign-out page. */
  canSignOut?: boolean;
  /** Additional sections of the menu. */
  sections?: Section[];
  /** The verified name of a visitor. Without it, names are not verified. */
  nameOf?: (c: Context) => Promise<string | undefined>;
}

/** Variables of a request. */
export interface PageEnv {
  Variables: { knownName: string | undefined };
}

export const withKnownName = ({ nameOf }: Pick<PageContext, 'nameOf'>) =>
  createMiddleware<PageEnv>(async (c, next) => {
    c.set('knownName', await nameOf?.(c));
    await next();
  });

export function viewerOf(c: Context<PageEnv>, clock: Clock): Viewer {
  const known = c.get('knownName');
  const name = known ?? (getCookie(c, NAME_COOKIE) ?? '').slice(0, 80);
  return { now: clock.now(), zone: zoneFrom(getCookie(c, ZONE_COOKIE)), name, isKnown: known !== undefined };
}

export function show(c: Context<PageEnv>, context: PageContext, view: View, status: 200 | 404 = 200) {
  const { search, pathname } = new URL(c.req.url);
  const { clock, dataAccessUrl, canSignOut = false, sections = [] } = context;
  const frame = {
    path: c.req.path,
    address: `${pathname}${search}`,
    notice: noticeOf(c.req.query('done')),
    zone: viewerOf(c, clock).zone,
    sections,
    dataAccessUrl,
    canSignOut,
  };
  return c.html(layout(view, frame), status);
}
