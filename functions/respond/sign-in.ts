import { Hono } from 'hono';
import { html } from 'hono/html';
import type { LinkSigner, UsedLinks, Verified } from '../../shared/alerting/messages/link-purposes.ts';
import type { Html, View } from '../../shared/pages/html.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { plainFrame, sayingView } from './page/plain-frame.ts';
import { backTo } from './page/zone-choice.ts';
import type { Visitors } from './visitors.ts';

export interface SignInDeps {
  signer: LinkSigner;
  used: UsedLinks;
  visitors: Visitors;
  clock: Clock;
  newId: () => string;
  /** What makes such a link. */
  command: string;
}

/** What prints a link to sign in to the page at `publicUrl`, for whoever may read the secret that signs it. */
export function openingCommand(publicUrl: string, secretName: string): string {
  return `npx deltawatch open --url ${publicUrl} --secret ${secretName}`;
}

/** The links of `deltawatch open`, and the way out. One is used up by the button that it shows, not by being looked at. */
export function signIn({ signer, used, visitors, clock, newId, command }: SignInDeps): Hono {
  const again = html`Make another with <code>${command}</code>.`;
  const refused = refusals(again);
  const usedView = sayingView('This link was used', 'A link to sign in by is good once.', again);
  const app = new Hono();

  app.get('/sign-in/:token', async (c) => {
    const verified = await signer.verify('sign-in', c.req.param('token'));
    if (verified.kind !== 'valid') return c.html(plainFrame(refused[verified.kind]), 403);
    if (await used.find(verified.id)) return c.html(plainFrame(usedView), 410);
    return c.html(plainFrame(askingView(verified.claims.by)));
  });

  app.post('/sign-in/:token', async (c) => {
    const verified = await signer.verify('sign-in', c.req.param('token'));
    if (verified.kind !== 'valid') return c.html(plainFrame(refused[verified.kind]), 403);
    const { id, claims, expiresAt } = verified;
    const said = { by: claims.by, at: clock.now(), reason: '' };
    // Used up first: a link that is lost is made anew in a moment, one that lets two in is not taken back.
    if (!(await used.save(id, said, expiresAt))) return c.html(plainFrame(usedView), 410);
    await visitors.startSession(c, claims.by, newId());
    visitors.rememberName(c, claims.by);
    return c.redirect(backTo(claims.to), 303);
  });

  app.get('/sign-out', (c) => c.html(plainFrame(SIGN_OUT)));

  app.post('/sign-out', (c) => {
    visitors.endSession(c);
    return c.redirect('/', 303);
  });
  return app;
}

/** For whoever comes to the page without a session. */
export function signInView(command: string): View {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p class="lead">This page is for those who can read the secret that signs its sessions.</p>
<p>Run <code>${command}</code> where you deploy Deltawatch from. It prints a link that is good once, for ten minutes.</p>
<p>To answer an alert you need not sign in: the links in its message are enough.</p>`,
  };
}

function askingView(by: string): View {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<form method="post" class="panel">
<p>You will be signed in as <strong><bdi>${by}</bdi></strong> in this browser, for twelve hours.</p>
<p><button class="primary">Sign in</button></p>
</form>`,
  };
}

const SIGN_OUT: View = {
  title: 'Sign out',
  body: html`<h1>Sign out?</h1>
<form method="post" class="panel">
<p>This browser forgets that you signed in. To come back takes another link.</p>
<p><button class="primary">Sign out</button> <a href="/">Stay</a></p>
</form>`,
};

function refusals(again: Html): Record<Exclude<Verified<'sign-in'>['kind'], 'valid'>, View> {
  return {
    expired: sayingView('This link has expired', 'A link to sign in by is good for ten minutes.', again),
    foreign: sayingView(
      'This link does nothing',
      'It was not made for this Deltawatch, or something in it was changed.',
      again,
    ),
  };
}
