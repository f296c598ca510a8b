import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Actor } from '../../shared/alerts/audit.ts';
import { nameSchema, reasonSchema } from '../../shared/alerts/author.ts';
import { ADMIN, type Grant } from '../../shared/alerts/roles.ts';
import { LINK_LIVES_MS, type LinkSigner } from '../../shared/messages/link-purposes.ts';
import type { Viewer } from '../../shared/pages/time.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

/**
 * Who may see the page. `open`: everybody, on this machine only. `session`: visitors who used a sign-in link of
 * `signer`, which `command` prints. `authorized`: visitors whom the API in front of this function has authorized; it
 * passes their name and, with roles, their groups.
 */
export type Access =
  | { kind: 'open' }
  | { kind: 'session'; command: string; signer: LinkSigner }
  | { kind: 'authorized'; visitorOf: (c: Context) => Visitor };

/** Who sends a request. Without a grant, they may see nothing. `groups`: those that the `claim` of their sign-in names. */
export interface Visitor {
  name: string | undefined;
  grants: Grant[];
  claim?: string;
  groups?: string[];
}

/** The cookie with the last entered name, which is not verified. */
const NAME_COOKIE = 'name';
const SESSION_COOKIE = 'session';

const YEAR_SECONDS = 365 * 86_400;

/** Identity, session and preferences of the sender of a request. */
export type Visitors = ReturnType<typeof visitorsBy>;

/** Cookies are `HttpOnly`, `SameSite=Lax`, and `Secure` over HTTPS. */
export function visitorsBy(access: Access, publicUrl: string, clock: Clock) {
  // The local page has no certificate and is only reachable on loopback.
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? ('host' as const) : undefined;
  const base = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
  const session = { ...base, ...(prefix && { prefix }) };

  const bySession = async (c: Context, signer: LinkSigner): Promise<Visitor | undefined> => {
    const token = prefix ? getCookie(c, SESSION_COOKIE, prefix) : getCookie(c, SESSION_COOKIE);
    const verified = token === undefined ? undefined : await signer.verify('session', token);
    if (verified?.kind !== 'valid') return undefined;
    const { by: name, grant } = verified.claims;
    return { name, grants: grant ? [grant] : ADMIN };
  };
  /** `undefined` for a visitor who has to sign in first. With `open` access nobody has a name. */
  const visitorOf = async (c: Context): Promise<Visitor | undefined> => {
    switch (access.kind) {
      case 'open':
        return { name: undefined, grants: ADMIN };
      case 'session':
        return bySession(c, access.signer);
      case 'authorized': {
        const visitor = access.visitorOf(c);
        const name = nameSchema.safeParse(visitor.name).data;
        return name === undefined ? undefined : { ...visitor, name };
      }
    }
  };
  const rememberName = (c: Context, name: string) =>
    setCookie(c, NAME_COOKIE, name, { ...base, maxAge: YEAR_SECONDS });
  return {
    /** Who sees a page: with a verified name, or else with the last entered one. */
    async viewerOf(c: Context): Promise<Viewer> {
      const { name: known, grants = [] } = (await visitorOf(c)) ?? {};
      const name = known ?? nameSchema.safeParse(getCookie(c, NAME_COOKIE)).data ?? '';
      return { now: clock.now(), name, isKnown: known !== undefined, grants };
    },
    /**
     * The fields of a form, repeated ones as a list, and its author: the verified name, or else the one in the form, which
     * is remembered. No fields if the body is not a form, so that its page says what is missing.
     */
    async formOf(c: Context, how: Actor['how'] = 'page') {
      const form: Record<string, unknown> = await c.req.parseBody({ all: true }).catch(() => ({}));
      const known = (await visitorOf(c))?.name;
      const by = nameSchema.safeParse(known ?? form.by);
      const reason = reasonSchema.safeParse(form.reason);
      if (!by.success || !reason.success) return { form };
      if (known === undefined) rememberName(c, by.data);
      return { form, who: { by: by.data, reason: reason.data, how } satisfies Actor };
    },
    visitorOf,
    startSession(c: Context, by: string, token: string) {
      setCookie(c, SESSION_COOKIE, token, { ...session, maxAge: LINK_LIVES_MS.session / 1000 });
      rememberName(c, by);
    },
    endSession: (c: Context) => void deleteCookie(c, SESSION_COOKIE, session),
  };
}
