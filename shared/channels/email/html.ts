import { html, raw } from 'hono/html';
import type { Message, MessageItem } from '../../messages/message.ts';
import { type ChatItem, COLORS, type Link, mostThatFits } from '../chat-layout.ts';
import { oneLine } from '../outgoing-text.ts';

const OURS = {
  headline: 1500,
  summary: 1000,
  label: 80,
  fact: 1000,
  runbook: 1000,
} as const;

type Markup = ReturnType<typeof html>;
/** The content id of the picture at an address. */
type Cids = ReadonlyMap<string, string>;

/** The HTML of a mail. Styles are inline: mail programs drop others. */
export function mailHtml(message: Message, cids: Cids): string {
  const layout = mostThatFits(
    message,
    (each) => each,
    () => true,
  );
  const title = oneLine(OURS.headline, message.title);
  const { single, items } = layout;
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:16px;font:15px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2933">
<div style="max-width:640px">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px;padding-left:12px;border-left:4px solid #${COLORS[layout.look]}">${title}</h1>
${single ? alone(single, cids) : items.map((item) => inDigest(item, cids))}
${layout.left > 0 ? html`<p>+${layout.left} more</p>` : ''}
${layout.overview && !single ? html`<p>${link(layout.overview)}</p>` : ''}
</div>
</body>
</html>`;
  return String(body);
}

function alone(layout: ChatItem, cids: Cids): Markup {
  const { facts, smallFacts, runbook } = layout;
  const buttons = [...(layout.open ? [layout.open] : []), ...layout.answers].map(link);
  return html`${rows(facts)}
${pictureOf(layout, cids)}
${rows(smallFacts)}
${runbook === null ? '' : html`<p><b>What to do:</b> ${typeof runbook === 'string' ? oneLine(OURS.runbook, runbook) : link(runbook)}</p>`}
${buttons.length > 0 ? html`<p>${buttons.map((each, i) => html`${i > 0 ? raw(' &nbsp;·&nbsp; ') : ''}${each}`)}</p>` : ''}
${smallPrint(layout)}`;
}

/** One alert of a digest: headline, figures and a link. */
function inDigest(layout: ChatItem, cids: Cids): Markup {
  const { item, look, open } = layout;
  return html`<div style="margin:0 0 20px;padding-left:12px;border-left:4px solid #${COLORS[look]}">
<b>${oneLine(OURS.headline, item.headline)}</b><br>${oneLine(OURS.summary, item.summary)}${open ? html` · ${link(open)}` : ''}
${pictureOf(layout, cids)}${smallPrint(layout)}
</div>`;
}

function rows(facts: MessageItem['facts']): Markup | '' {
  if (facts.length === 0) return '';
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px">${facts.map(
    ({ label, text, isSmall }) =>
      html`<tr style="vertical-align:top;font-size:${isSmall ? '13px' : '15px'}"><td style="padding:2px 16px 2px 0;color:#6b7280;white-space:nowrap">${oneLine(OURS.label, label)}</td><td style="padding:2px 0">${oneLine(OURS.fact, text)}</td></tr>`,
  )}</table>`;
}

function pictureOf({ picture }: ChatItem, cids: Cids): Markup | '' {
  const cid = picture && cids.get(picture.url);
  if (!picture || cid === undefined) return '';
  return html`<p style="margin:0 0 16px"><img src="cid:${cid}" alt="${oneLine(OURS.fact, picture.alt)}" width="640" style="max-width:100%;height:auto;border:0"></p>`;
}

function link({ label, url }: Link): Markup {
  return html`<a href="${url}" style="color:#1565c0">${oneLine(OURS.label, label)}</a>`;
}

function smallPrint({ source }: ChatItem): Markup {
  return html`<p style="margin:4px 0 0;font-size:13px;color:#6b7280">${oneLine(OURS.fact, source.join(' · '))}</p>`;
}
