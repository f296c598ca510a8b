import { Hono } from 'hono';
import { html } from 'hono/html';
import type { LinkSigner, UsedLinks } from '../../shared/messages/link-purposes.ts';
import type { View } from '../../shared/pages/html.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { layout, messageView } from './page/layout.ts';
import type { Visitors } from './visitors.ts';

export interface SignInDeps {
  /** The command that creates a sign-in link. */
  command: string;
  signer: LinkSigner;
  used: UsedLinks;
  visitors: Visitors;
  clock: Clock;
  newId: () => string;
}

/** Sign-in by the links of `deltawatch open`, and sign-out. Opening a link does not use it up; its button does. */
export function signIn({ signer, used, visitors, clock, newId, command }: SignInDeps): Hono {
  const again = html`Create a new link with <code>${command}</code>.`;
  const refused = {
    expired: messageView('Link expired', 'A sign-in link is valid for ten minutes.', again),
    foreign: messageView('Invalid link', 'The link is for another Deltawatch, or it was changed.', again),
  };
  const usedView = messageView('Link already used', 'A sign-in link is valid once.', again);
  const app = new Hono();

  app.get('/sign-in/:token', async (c) => {
    const verified = await signer.verify('sign-in', c.req.param('token'));
    if (verified.kind !== 'valid') return c.html(layout(refused[verified.kind]), 403);
    if (await used.find(verified.id)) return c.html(layout(usedView), 410);
    return c.html(layout(confirmSignInView(verified.claims.by)));
  });

  app.post('/sign-in/:token', async (c) => {
    const verified = await signer.verify('sign-in', c.req.param('token'));
    if (verified.kind !== 'valid') return c.html(layout(refused[verified.kind]), 403);
    const { id, claims, expiresAt } = verified;
    const use = { by: claims.by, at: clock.now(), reason: '' };
    // Marked as used first: a lost link is easy to replace, but a session cannot be revoked.
    if (!(await used.save(id, use, expiresAt))) return c.html(layout(usedView), 410);
    const { by, grant } = claims;
    visitors.startSession(c, by, await signer.sign('session', { by, grant }, newId()));
    return c.redirect(backTo(claims.to), 303);
  });

  app.post('/sign-out', (c) => {
    visitors.endSession(c);
    return c.redirect('/', 303);
  });
  return app;
}

/** The page for visitors without a session. */
export function signInView({ command }: Pick<SignInDeps, 'command'>): View {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p>Run <code>${command}</code> where you deploy or run Deltawatch. The command needs read access to the secret that signs sessions, and prints a link that is valid once, for ten minutes.</p>
<p>To answer an alert, use the links in its message. They need no sign-in.</p>`,
  };
}

function confirmSignInView(by: string): View {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<form method="post" class="panel">
<p>You will be signed in as <strong><bdi>${by}</bdi></strong> in this browser, for twelve hours.</p>
<p><button class="primary">Sign in</button></p>
</form>`,
  };
}

/** The local path of a link. The overview if the value could lead to another host. */
function backTo(path: string): string {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\') ? path : '/';
}
