import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import type { LinkSigner, UsedLinks } from '../../shared/alerting/messages/link-purposes.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { answerLinks } from './answer-links.ts';
import { createPage, type PageDeps } from './page/page.ts';
import { plainFrame, sayingView } from './page/plain-frame.ts';
import { pageForms } from './page-forms.ts';
import { pictureLinks } from './picture-links.ts';
import { openingCommand, signIn, signInView } from './sign-in.ts';
import { type SlackApp, slackInteractions } from './slack-interactions.ts';
import { type Access, visitorsBy } from './visitors.ts';

export interface RespondDeps extends PageDeps {
  /** Of the links in messages. Sessions have one of their own, in `access`. */
  signer: LinkSigner;
  used: UsedLinks;
  access: Access;
  /** Where all of this is reached from outside; links begin with it. */
  publicUrl: string;
  /** Present where a Slack app of ours sends what its buttons do. */
  slack?: SlackApp;
  /** A name that nobody can guess and nothing else has. */
  newId: () => string;
  logger: Logger;
}

/** No form of ours is longer. Slack sends the whole message along with a press of its button. */
const MOST_BYTES = 64 * 1024;
const MOST_BYTES_OF_SLACK = 1024 * 1024;

/** What the pages that need no session are made of, and what machines ask that watch this one. */
const FOR_ALL = ['/style.css', '/icon.svg', '/page.js', '/healthz'];

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * What a person can do from a message or the page. What a link may do stands in the link, signed; all else is behind
 * `access`. A request that only looks (GET, HEAD) changes nothing.
 */
export function createRespond(deps: RespondDeps): Hono {
  const { access, publicUrl, logger } = deps;
  const visitors = visitorsBy(access, publicUrl);
  const own = { ...deps, visitors };
  const app = new Hono();
  app.use(headers);
  app.use('/slack/*', atMost(MOST_BYTES_OF_SLACK));
  app.use((c, next) => (c.req.path.startsWith('/slack/') ? next() : atMost(MOST_BYTES)(c, next)));
  if (access.kind === 'open') app.use(onlyAt(new URL(publicUrl).hostname));
  const sayFailed = (error: Error, c: Context) => {
    if (error instanceof HTTPException) return error.getResponse();
    logger.error('a request failed', { error });
    return c.html(plainFrame(FAILED), 500);
  };
  app.onError(sayFailed);

  if (deps.slack) app.route('/slack', slackInteractions({ ...own, slack: deps.slack }));
  app.route('/p', pictureLinks(own));
  // Whoever has the link needs no other site to send the form for them.
  app.route('/a', answerLinks(own));
  app.use(csrf({ origin: (origin, c) => isOwn(origin, c, publicUrl) }));
  const bySession =
    access.kind === 'session'
      ? { signer: access.signer, command: openingCommand(publicUrl, access.secretName) }
      : undefined;
  if (bySession) app.route('/', signIn({ ...own, ...bySession }));
  app.use(async (c, next) => {
    const isForAll = ['GET', 'HEAD'].includes(c.req.method) && FOR_ALL.includes(c.req.path);
    if (isForAll || (await visitors.mayEnter(c))) return next();
    return c.html(plainFrame(bySession ? signInView(bySession.command) : NOT_NAMED), 401);
  });
  app.route('/', pageForms(own));
  const page = createPage({
    ...deps,
    canSignOut: access.kind === 'session',
    nameOf: visitors.nameOf,
  }).onError(sayFailed);
  // Handed on and not mounted, so that the page itself says what is nowhere.
  app.all('*', (c) => page.fetch(c.req.raw, c.env));
  return app;
}

/**
 * Whether a form came from a page of ours. Of a page with a link in its address, which it tells nobody, a browser says no
 * more than "null"; where it does not say either whether that is the same site, the link itself proves enough.
 */
function isOwn(origin: string, c: Context, publicUrl: string): boolean {
  if ([new URL(publicUrl).origin, new URL(c.req.url).origin].includes(origin)) return true;
  const saysNothing = origin === 'null' && c.req.header('sec-fetch-site') === undefined;
  return saysNothing && c.req.path.startsWith('/sign-in/');
}

/** Links hold what they may do, and must not be told to others; pages are for whoever asked for them. */
const headers: MiddlewareHandler = async (c, next) => {
  await next();
  const bears = /^\/(?:a|p|sign-in)\//.test(c.req.path);
  c.header('Referrer-Policy', bears ? 'no-referrer' : 'same-origin');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('X-Frame-Options', 'DENY');
  if (!c.res.headers.has('Content-Security-Policy')) c.header('Content-Security-Policy', POLICY);
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'private, no-store');
};

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const atMost = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (c) => c.text('too long', 413) });

/** A name on the internet can be made to lead to this machine: its pages must not act here. */
function onlyAt(hostname: string): MiddlewareHandler {
  return async (c: Context, next) => {
    const asked = new URL(c.req.url).hostname;
    if (asked === hostname || LOOPBACK.test(asked)) return next();
    return c.text('this is not served under that name', 421);
  };
}

const FAILED = sayingView(
  'Something failed',
  'It was logged. Nothing may have been done: look before you try again.',
);
const NOT_NAMED = sayingView(
  'Nobody is named',
  'The API before this page must say who you are. Whoever deploys Deltawatch can look at its authorizer.',
);
