import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { ADMIN, appsOf, type Grant, isAdmin, writableApps } from '../../shared/alerts/roles.ts';
import type { LinkSigner, UsedLinks } from '../../shared/messages/link-purposes.ts';
import { visibleTo } from '../../shared/responding/visible-stores.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError, isExplained } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { answerLinks } from './answer-links.ts';
import { type ApiDeps, alertsApi } from './api/api.ts';
import { API_PATH } from './api/endpoint.ts';
import { ASSETS_PATH } from './page/assets.ts';
import { layout, messageView } from './page/layout.ts';
import { createPage, type PageDeps } from './page/page.ts';
import { pageForms } from './page-forms.ts';
import { pictureLinks } from './pictures.ts';
import { signIn, signInView } from './sign-in.ts';
import { type SlackApp, slackInteractions } from './slack-interactions.ts';
import { type Access, type Visitor, visitorsBy } from './visitors.ts';

export interface RespondDeps
  extends Omit<PageDeps, 'visitors' | 'canSignOut'>,
    Pick<ApiDeps, 'keys' | 'limiter'> {
  /** Signs the links in messages. Sessions use the signer in `access`. */
  signer: LinkSigner;
  used: UsedLinks;
  access: Access;
  /** The public base URL of the page and of all links. */
  publicUrl: string;
  /** Present if a Slack app sends buttons and commands. */
  slack?: SlackApp;
  newId: () => string;
  clock: Clock;
  logger: Logger;
}

/** Size limits of request bodies. Slack sends the whole message with each interaction. */
const MAX_BYTES = 64 * 1024;
const MAX_SLACK_BYTES = 1024 * 1024;

/** Paths that need no session: assets without data, and the health check. */
const PUBLIC_PATHS = new RegExp(`^(?:${ASSETS_PATH}/.*|/healthz)$`);

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** The web app. Signed links carry their own permission; all else requires `access`. GET and HEAD change nothing. */
export function createRespond(deps: RespondDeps): Hono {
  const { access, publicUrl, logger } = deps;
  const visitors = visitorsBy(access, publicUrl, deps.clock);
  const routeDeps = { ...deps, visitors, canSignOut: access.kind === 'session' };
  const app = new Hono();
  app.use(headers);
  app.use('/slack/*', limitBody(MAX_SLACK_BYTES));
  // The interface of alerts has a limit of its own.
  const hasOwnLimit = /^\/(?:slack|api)\//;
  app.use((c, next) => (hasOwnLimit.test(c.req.path) ? next() : limitBody(MAX_BYTES)(c, next)));
  if (access.kind === 'open') app.use(onlyAt(new URL(publicUrl).hostname));
  const showFailure = (error: Error, c: Context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof InvalidRequestError)
      return c.html(layout(messageView('Not allowed', `Nothing changed: ${error.message}.`)), 403);
    logger.error('a request failed', { error });
    const isKnown = isExplained(error);
    const why = isKnown ? error.message : 'The error is in the log of the respond function.';
    return c.html(layout(failedView(why)), isKnown ? 503 : 500);
  };
  app.onError(showFailure);

  if (deps.slack) app.route('/slack', slackInteractions({ ...routeDeps, slack: deps.slack }));
  app.route('/p', pictureLinks(routeDeps));
  // Before the CSRF check: the link itself is the permission.
  app.route('/a', answerLinks(routeDeps));
  // Before it too: it reads no cookie. Forwarded, so that it answers unknown paths itself.
  const api = alertsApi(deps);
  app.all(`${API_PATH}/*`, (c) => api.fetch(c.req.raw, c.env));
  app.use(csrf({ origin: (origin, c) => isOwn(origin, c, publicUrl) }));
  const bySession = access.kind === 'session' ? access : undefined;
  if (bySession) app.route('/', signIn({ ...routeDeps, ...bySession }));
  /** The page and its forms, as if other apps did not exist. */
  const siteFor = (grants: Grant[]): Hono => {
    // Those show all apps, and deploy rules.
    const parts = { ...routeDeps, ...(!isAdmin(grants) && { sections: [] }) };
    const page = createPage(visibleTo(appsOf(grants), parts)).onError(showFailure);
    const site = new Hono().onError(showFailure);
    site.route('/', pageForms(visibleTo(writableApps(grants), parts)));
    // Forwarded instead of mounted, so that the page renders its own 404.
    return site.all('*', (c) => page.fetch(c.req.raw, c.env));
  };
  const whole = siteFor(ADMIN);
  app.all('*', async (c) => {
    const isPublic = ['GET', 'HEAD'].includes(c.req.method) && PUBLIC_PATHS.test(c.req.path);
    if (isPublic) return whole.fetch(c.req.raw, c.env);
    const visitor = await visitors.visitorOf(c);
    if (!visitor) return c.html(layout(bySession ? signInView(bySession) : NO_NAME), 401);
    if (visitor.grants.length === 0) return c.html(layout(noRoleView(visitor)), 403);
    return (isAdmin(visitor.grants) ? whole : siteFor(visitor.grants)).fetch(c.req.raw, c.env);
  });
  return app;
}

/**
 * Whether a form was sent from one of our pages. Pages with a token in their URL send no referrer, so browsers send the
 * origin "null". If `Sec-Fetch-Site` is missing too, the token itself is sufficient.
 */
function isOwn(origin: string, c: Context, publicUrl: string): boolean {
  if ([new URL(publicUrl).origin, new URL(c.req.url).origin].includes(origin)) return true;
  const hasNoOrigin = origin === 'null' && c.req.header('sec-fetch-site') === undefined;
  return hasNoOrigin && c.req.path.startsWith('/sign-in/');
}

/** URLs with tokens must not leak as referrers. Pages must not be cached by others. */
const headers: MiddlewareHandler = async (c, next) => {
  await next();
  const hasToken = /^\/(?:a|p|sign-in)\//.test(c.req.path);
  c.header('Referrer-Policy', hasToken ? 'no-referrer' : 'same-origin');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('X-Frame-Options', 'DENY');
  c.header('Content-Security-Policy', POLICY);
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'private, no-store');
};

const POLICY = "default-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const limitBody = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (c) => c.text('request body too large', 413) });

/** Prevents DNS rebinding: refuses requests for other host names. */
function onlyAt(hostname: string): MiddlewareHandler {
  return async (c: Context, next) => {
    const asked = new URL(c.req.url).hostname;
    if (asked === hostname || LOOPBACK.test(asked)) return next();
    return c.text('this host name is not served here', 421);
  };
}

const failedView = (why: string) =>
  messageView('Request failed', why, 'Check the current state before you try again.');
const noRoleView = ({ name = '', claim, groups = [] }: Visitor) =>
  messageView(
    'No role',
    html`You are signed in as <strong><bdi>${name}</bdi></strong>. The claim <code>${claim}</code> of your sign-in names ${groups.length === 0 ? 'no group' : html`the groups <bdi>${groups.join(', ')}</bdi>`}. None has a role here.`,
    html`Ask the person who deploys Deltawatch to add your group to <code>roles</code> in <code>deltawatch.config.ts</code>.`,
  );
const NO_NAME = messageView(
  'No user name',
  'The request has no user name. Ask the person who deploys Deltawatch to check the authorizer of the API.',
);
