import { html } from 'hono/html';
import type { SlackBlock } from '../../shared/channels/slack/block.ts';
import type { Html, View } from '../../shared/pages/html.ts';
import { ago, timeTag } from '../../shared/pages/time.ts';
import { mrkdwn, withCircles } from './mrkdwn.ts';
import type { InboxMessage } from './slack-inbox.ts';

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

function messageItem({ channel, receivedAt, blocks }: InboxMessage, now: number, zone: string): Html {
  return html`<li class="message">
<img class="avatar" src="/assets/icon.svg" alt="" width="36" height="36">
<article>
<p class="byline"><strong>Deltawatch</strong> <span class="app">APP</span> <span class="channel">#${channel}</span>
<span class="quiet">${timeTag(receivedAt, zone)} · ${ago(receivedAt, now)}</span></p>
${blocks.map(blockHtml)}
</article></li>`;
}

/** Messages without a Slack app have no other blocks and texts. */
function blockHtml(block: SlackBlock): Html | false {
  switch (block.type) {
    case 'header':
      return html`<h2>${withCircles(block.text.text)}</h2>`;
    case 'section':
      return html`<p>${mrkdwn(block.text?.text ?? '')}</p>`;
    case 'context':
      return html`<p class="context">${block.elements.map((element) => element.type === 'mrkdwn' && html`<span>${mrkdwn(element.text)}</span>`)}</p>`;
    case 'image':
      return (
        'image_url' in block && html`<img class="picture" src="${block.image_url}" alt="${block.alt_text}">`
      );
    default:
      return false;
  }
}
