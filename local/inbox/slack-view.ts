import { html } from 'hono/html';
import type { Html, View } from '../../shared/pages/html.ts';
import { ago, timeTag } from '../../shared/pages/time.ts';
import { mrkdwn, withCircles } from './mrkdwn.ts';
import type { InboxMessage } from './slack-inbox.ts';
import type { SlackAction, SlackBlock, SlackText } from './slack-payload.ts';

/** Most messages on the page. */
const SHOWN = 100;

/** The messages, newest first, with times in `zone`. */
export function slackView(messages: InboxMessage[], now: number, zone: string): View {
  const body = html`<h1>Slack</h1>
<p class="lead">Messages that this machine kept instead of sending them to Slack, newest first. Messages that were sent are listed under <a href="/deliveries">Deliveries</a>.</p>
${
  messages.length === 0
    ? html`<p class="empty">No messages yet. A message appears when a rule fires or cannot be evaluated.</p>`
    : html`<ol class="messages">${messages.slice(0, SHOWN).map((message) => messageItem(message, now, zone))}</ol>`
}
${messages.length > SHOWN && html`<p class="quiet">${messages.length - SHOWN} older messages are not shown</p>`}`;
  return { title: 'Slack', body };
}

/** A message as it is now, with its thread below. */
function messageItem(message: InboxMessage, now: number, zone: string): Html {
  const { channel, receivedAt, updatedAt, text, blocks, replies = [] } = message;
  return html`<li class="message">
<img class="avatar" src="/icon.svg" alt="" width="36" height="36">
<article>
<p class="byline"><strong>Deltawatch</strong> <span class="app">APP</span> <span class="channel">#${channel}</span>
<span class="quiet">${timeTag(receivedAt, zone)} · ${ago(receivedAt, now)}${updatedAt !== undefined && html` · updated ${ago(updatedAt, now)}`}</span></p>
${contentHtml(text, blocks)}
${replies.length > 0 && threadHtml(replies, zone)}
</article></li>`;
}

function threadHtml(replies: InboxMessage[], zone: string): Html {
  const count = `${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}`;
  return html`<section class="thread" aria-label="Thread"><p class="quiet">${count}</p>
<ol>${replies.map(
    ({ receivedAt, text, blocks }) =>
      html`<li><p class="byline quiet">${timeTag(receivedAt, zone)}</p>${contentHtml(text, blocks)}</li>`,
  )}</ol></section>`;
}

function contentHtml(text: string, blocks: SlackBlock[]): Html {
  return html`${blocks.length > 0 ? blocks.map(blockHtml) : html`<p>${mrkdwn(text)}</p>`}`;
}

function blockHtml(block: SlackBlock): Html {
  switch (block.type) {
    case 'header':
      return html`<h2>${textHtml(block.text)}</h2>`;
    case 'section':
      return html`${block.text && html`<p>${textHtml(block.text)}</p>`}${
        block.fields &&
        html`<div class="fields">${block.fields.map((field) => html`<p>${textHtml(field)}</p>`)}</div>`
      }`;
    case 'context':
      return html`<p class="context">${block.elements.map((element) => html`<span>${textHtml(element)}</span>`)}</p>`;
    case 'divider':
      return html`<hr>`;
    case 'image':
      return html`<img class="picture" src="${block.image_url}" alt="${block.alt_text}">`;
    case 'actions':
      return html`<p class="actions">${block.elements.map(actionHtml)}</p>`;
  }
}

/** Link buttons work. Other buttons and menus are disabled: they need a Slack app, and this machine has none. */
function actionHtml(action: SlackAction): Html {
  if (action.type === 'static_select')
    return html`<select disabled><option>${action.placeholder?.text ?? 'Select'}</option></select> `;
  const { text, url } = action;
  return url === undefined
    ? html`<button type="button" disabled>${text.text}</button> `
    : html`<a class="button" href="${url}" rel="noreferrer">${text.text}</a> `;
}

function textHtml(text: SlackText): Html {
  return text.type === 'mrkdwn' ? mrkdwn(text.text) : withCircles(text.text);
}
