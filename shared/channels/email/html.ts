import type { Message } from '../../messages/message.ts';
import { chatMessage, escapedHtml, HTML } from '../chat-text.ts';

/** The HTML of a mail. `cids`: the content id of the picture at an address. Styles are inline: mail programs drop others. */
export function mailHtml(message: Message, cids: ReadonlyMap<string, string>): string {
  const write = chatMessage(
    HTML,
    ({ title, fallback, alerts, more }) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapedHtml(fallback)}</title></head>
<body style="margin:0;padding:16px;font:15px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2933">
<div style="max-width:640px">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px">${title}</h1>
${alerts.map(({ color, lines, picture }) => `<div style="margin:0 0 20px;padding-left:12px;border-left:4px solid #${color}">${lines.join('<br>\n')}${imageOf(picture, cids)}</div>`).join('\n')}
${more && `<p>${more}</p>`}
</div>
</body>
</html>`,
    () => true,
  );
  return write(message);
}

function imageOf(picture: { url: string; alt: string } | null, cids: ReadonlyMap<string, string>): string {
  const cid = picture && cids.get(picture.url);
  if (!cid) return '';
  return `<p><img src="cid:${cid}" alt="${escapedHtml(picture.alt)}" width="640" style="max-width:100%;height:auto;border:0"></p>`;
}
