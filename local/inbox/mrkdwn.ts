import { html } from 'hono/html';
import type { Html } from '../../shared/pages/html.ts';
import { unescapedMarkup } from '../../shared/text/escaped.ts';

/** Supported markup. Bold and italic can be nested. `:emoji:` is not rendered. */
const MARK =
  /`(?<code>[^`\n]+)`|<(?:@|!(?:subteam\^)?)(?<mention>\w+)>|<(?<url>https?:[^|>\s]+)(?:\|(?<label>[^>\n]+))?>|(?<![\p{L}\p{N}*])\*(?<bold>[^*\n]+)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_])_(?<italic>[^_\n]+)_(?![\p{L}\p{N}_])|(?<line>\n)/gu;

export function mrkdwn(text: string): Html {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    parts.push(withCircles(unescapedMarkup(text.slice(end, match.index))), marked(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  return html`${[...parts, withCircles(unescapedMarkup(text.slice(end)))]}`;
}

function marked({ code, mention, url, label, bold, italic }: Partial<Record<string, string>>): Html {
  if (code !== undefined) return html`<code>${unescapedMarkup(code)}</code>`;
  if (mention !== undefined) return html`<span class="mention">@${mention}</span>`;
  if (url !== undefined)
    return html`<a href="${unescapedMarkup(url)}" rel="noreferrer">${unescapedMarkup(label ?? url)}</a>`;
  if (bold !== undefined) return html`<strong>${mrkdwn(bold)}</strong>`;
  return italic === undefined ? html`<br>` : html`<em>${mrkdwn(italic)}</em>`;
}

/** The colours that Slack gives to the circles of severities. */
const COLOURS = new Map([
  ['🔴', '#dd2e44'],
  ['🟠', '#f4900c'],
  ['🔵', '#55acee'],
]);

/** Escapes a text and draws its circles as Slack does, because some machines have no font with emoji. */
export function withCircles(text: string): Html {
  return html`${text.split(/(🔴|🟠|🔵)/u).map((part) => {
    const colour = COLOURS.get(part);
    return colour === undefined ? part : circle(part, colour);
  })}`;
}

function circle(name: string, colour: string): Html {
  return html`<svg role="img" aria-label="${name}" viewBox="0 0 16 16" width="14" height="14"><circle cx="8" cy="8" r="8" fill="${colour}"/></svg>`;
}
