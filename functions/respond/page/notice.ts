import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';

/** The results of forms, by the code in the redirect: `?done=answered`. Unknown codes show nothing. */
const NOTICES = {
  answered: 'Your answer is recorded. Channels that need to know are notified.',
  'too-late':
    'Nothing changed: the state is different from the one you saw. This page shows the current state.',
  again: 'This form was already submitted. Nothing changed.',
  silenced: 'Silence added. Matching alerts are evaluated but send no notifications.',
  unsilenced: 'Silence ended. Alerts that still fire will be sent.',
  noted: 'Note added. The charts of this app mark it.',
  invalid: 'Nothing changed: a value in the form is missing or invalid.',
} as const;
export type Notice = keyof typeof NOTICES;

const FAILURES: ReadonlySet<string> = new Set<Notice>(['too-late', 'invalid']);

export function noticeOf(word: string | undefined): Html | undefined {
  if (word === undefined || !Object.hasOwn(NOTICES, word)) return undefined;
  const text = Object.entries(NOTICES).find(([name]) => name === word)?.[1];
  return html`<p class="flash${FAILURES.has(word) ? ' bad' : ''}" role="status">${text}</p>`;
}

/** `path` with the code of a notice. */
export function withNotice(path: string, word: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${word}`;
}
