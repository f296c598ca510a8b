import { html, raw } from 'hono/html';
import { type ItemLinks, type Message, type MessageItem, SHOWN } from '../../messages/message.ts';
import { type Look, lookOf, lookOfMessage, sourceOf } from '../item-signs.ts';
import { oneLine } from '../outgoing-text.ts';
import { webAddress } from '../web-address.ts';

const OURS = {
  headline: 1500,
  summary: 1000,
  label: 80,
  fact: 1000,
  facts: 20,
  runbook: 1000,
  url: 2048,
} as const;

const COLOURS: Record<Look, string> = {
  critical: '#c62828',
  warning: '#e07b00',
  info: '#1565c0',
  over: '#2e7d32',
  taken: '#6b7280',
  snoozed: '#6b7280',
  test: '#6b7280',
  digest: '#6b7280',
};

type Markup = ReturnType<typeof html>;
/** The content id of the picture at an address. */
type Cids = ReadonlyMap<string, string>;

/** The HTML of a mail. Styles are inline: mail programs drop others. */
export function mailHtml(message: Message, cids: Cids): string {
  const { title, items, overviewUrl } = message;
  const [only, ...others] = items;
  const isOne = only !== undefined && others.length === 0;
  const left = items.length - SHOWN;
  const all = webAddress(overviewUrl, OURS.url);
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${oneLine(OURS.headline, title)}</title></head>
<body style="margin:0;padding:16px;font:15px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2933">
<div style="max-width:640px">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px;padding-left:12px;border-left:4px solid ${COLOURS[lookOfMessage(message)]}">${oneLine(OURS.headline, title)}</h1>
${isOne ? single(only, cids) : items.slice(0, SHOWN).map((item) => inDigest(item, cids))}
${left > 0 ? html`<p>+${left} more</p>` : ''}
${all && !isOne ? html`<p>${link(all, 'All open alerts')}</p>` : ''}
</div>
</body>
</html>`;
  return String(body);
}

function single(item: MessageItem, cids: Cids): Markup {
  const { facts, runbook, links } = item;
  const shown = facts.slice(0, OURS.facts);
  return html`${rows(shown.filter(({ isSmall }) => !isSmall))}
${pictureOf(links, cids)}
${rows(shown.filter(({ isSmall }) => isSmall))}
${runbook === null ? '' : html`<p><b>What to do:</b> ${runbookOf(runbook)}</p>`}
${answersOf(links)}
${smallPrint(sourceOf(item))}`;
}

/** One alert of a digest: headline, figures and a link. */
function inDigest(item: MessageItem, cids: Cids): Markup {
  const open = webAddress(item.links?.open, OURS.url);
  return html`<div style="margin:0 0 20px;padding-left:12px;border-left:4px solid ${COLOURS[lookOf(item)]}">
<b>${oneLine(OURS.headline, item.headline)}</b><br>${oneLine(OURS.summary, item.summary)}${open ? html` · ${link(open, 'Open')}` : ''}
${pictureOf(item.links, cids)}${smallPrint(sourceOf(item))}
</div>`;
}

function rows(facts: MessageItem['facts']): Markup | '' {
  if (facts.length === 0) return '';
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px">${facts.map(
    ({ label, text, isSmall }) =>
      html`<tr style="vertical-align:top;font-size:${isSmall ? '13px' : '15px'}"><td style="padding:2px 16px 2px 0;color:#6b7280;white-space:nowrap">${oneLine(OURS.label, label)}</td><td style="padding:2px 0">${oneLine(OURS.fact, text)}</td></tr>`,
  )}</table>`;
}

function pictureOf(links: ItemLinks | null, cids: Cids): Markup | '' {
  const picture = links?.picture;
  const cid = picture && cids.get(picture.url);
  if (!picture || cid === undefined) return '';
  return html`<p style="margin:0 0 16px"><img src="cid:${cid}" alt="${oneLine(OURS.fact, picture.alt)}" width="640" style="max-width:100%;height:auto;border:0"></p>`;
}

function answersOf(links: ItemLinks | null): Markup | '' {
  if (!links) return '';
  const shown = [{ label: 'Open', url: links.open }, ...links.answers].flatMap(({ label, url }) => {
    const address = webAddress(url, OURS.url);
    return address ? [link(address, label)] : [];
  });
  return html`<p>${shown.map((each, i) => html`${i > 0 ? raw(' &nbsp;·&nbsp; ') : ''}${each}`)}</p>`;
}

function runbookOf(runbook: string): Markup | string {
  const address = webAddress(runbook, OURS.url);
  return address ? link(address, 'the runbook') : oneLine(OURS.runbook, runbook);
}

function link(url: string, label: string): Markup {
  return html`<a href="${url}" style="color:#1565c0">${oneLine(OURS.label, label)}</a>`;
}

function smallPrint(text: string): Markup {
  return html`<p style="margin:4px 0 0;font-size:13px;color:#6b7280">${oneLine(OURS.fact, text)}</p>`;
}
