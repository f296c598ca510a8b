import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';

/** What a form did, by the word that its answer leads back with: `?done=answered`. Never text from outside. */
const NOTICES = {
  answered: 'Your answer is recorded. Where others need to know of it, they are told.',
  'too-late': 'Nothing was changed: the alert is not any more what you were shown. This is how it is now.',
  again: 'That was recorded when the form was sent before. Once is enough: nothing was changed now.',
  silenced: 'The silence holds from when it says. What it matches is judged as ever, and not told.',
  unsilenced: 'The silence is over. What it held back and still fires is told with the next sweep.',
  invalid: 'Nothing was changed: something in the form is missing or cannot be.',
} as const;
export type Notice = keyof typeof NOTICES;

const FAILURES: ReadonlySet<string> = new Set<Notice>(['too-late', 'invalid']);

export function noticeOf(word: string | undefined): Html | undefined {
  if (word === undefined || !Object.hasOwn(NOTICES, word)) return undefined;
  const text = Object.entries(NOTICES).find(([name]) => name === word)?.[1];
  return html`<p class="flash${FAILURES.has(word) ? ' bad' : ''}" role="status">${text}</p>`;
}

/** `path` with the word of what was done there. */
export function withNotice(path: string, word: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${word}`;
}
