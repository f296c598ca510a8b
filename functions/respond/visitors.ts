import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Actor } from '../../shared/alerts/audit.ts';
import { nameSchema, reasonSchema } from '../../shared/alerts/author.ts';
import { LINK_LIVES_MS, type LinkSigner } from '../../shared/messages/link-purposes.ts';
import type { Viewer } from '../../shared/pages/time.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

/**
 * Who may see the page. `open`: everybody, on this machine only. `session`: visitors who used a sign-in link of
 * `signer`, which `command` prints. `authorized`: visitors whom the API in front of this function has authorized; it
 * passes their name.
 */
export type Access =
  | { kind: 'open' }
  | { kind: 'session'; command: string; signer: LinkSigner }
  | { kind: 'authorized'; nameOf: (c: Context) => string | undefined };

/** The cookie with the last entered name, which is not verified. */
const NAME_COOKIE = 'name';
const SESSION_COOKIE = 'session';

const YEAR_SECONDS = 365 * 86_400;

/** Identity, session and preferences of the sender of a request. */
export interface Visitors {
  /** Who sees a page: with a verified name, or else with the last entered one. */
  viewerOf(c: Context): Promise<Viewer>;
  /**
   * The fields of a form, repeated ones as a list, and its author: the verified name, or else the one in the form, which is remembered. No fields
   * if the body is not a form, so that its page says what is missing.
   */
  formOf(c: Context, how?: Actor['how']): Promise<{ form: Record<string, unknown>; who: Actor | undefined }>;
  mayEnter(c: Context): Promise<boolean>;
  /** `token`: of the session. */
  startSession(c: Context, by: string, token: string): void;
  endSession(c: Context): void;
}

/** Cookies are `HttpOnly`, `SameSite=Lax`, and `Secure` over HTTPS. */
export function visitorsBy(access: Access, publicUrl: string, clock: Clock): Visitors {
  // The local page has no certificate and is only reachable on loopback.
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? ('host' as const) : undefined;
  const base = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
  const session = { ...base, ...(prefix && { prefix }) };

  const bySession = async (c: Context, signer: LinkSigner): Promise<string | undefined> => {
    const token = prefix ? getCookie(c, SESSION_COOKIE, prefix) : getCookie(c, SESSION_COOKIE);
    const verified = token === undefined ? undefined : await signer.verify('session', token);
    return verified?.kind === 'valid' ? verified.claims.by : undefined;
  };
  /** The verified name; `undefined` if it is unknown. With `open` access nobody has a name. */
  const nameOf = async (c: Context): Promise<string | undefined> => {
    switch (access.kind) {
      case 'open':
        return undefined;
      case 'session':
        return bySession(c, access.signer);
      case 'authorized':
        return nameSchema.safeParse(access.nameOf(c)).data;
    }
  };
  const rememberName = (c: Context, name: string) =>
    setCookie(c, NAME_COOKIE, name, { ...base, maxAge: YEAR_SECONDS });
  return {
    async viewerOf(c) {
      const known = await nameOf(c);
      const name = known ?? nameSchema.safeParse(getCookie(c, NAME_COOKIE)).data ?? '';
      return { now: clock.now(), name, isKnown: known !== undefined };
    },
    async formOf(c, how = 'page') {
      const form: Record<string, unknown> = await c.req.parseBody({ all: true }).catch(() => ({}));
      const known = await nameOf(c);
      const by = nameSchema.safeParse(known ?? form.by);
      const reason = reasonSchema.safeParse(form.reason);
      if (!by.success || !reason.success) return { form, who: undefined };
      if (known === undefined) rememberName(c, by.data);
      return { form, who: { by: by.data, reason: reason.data, how } };
    },
    mayEnter: async (c) => access.kind === 'open' || (await nameOf(c)) !== undefined,
    startSession(c, by, token) {
      setCookie(c, SESSION_COOKIE, token, { ...session, maxAge: LINK_LIVES_MS.session / 1000 });
      rememberName(c, by);
    },
    endSession: (c) => void deleteCookie(c, SESSION_COOKIE, session),
  };
}
