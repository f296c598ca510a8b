import type { Message } from '../../messages/message.ts';
import { buttonsOf, type ChatItem, type ChatLayout, COLORS, moreOf, mostThatFits } from '../chat-layout.ts';
import { markdown } from '../markdown.ts';
import { oneLine } from '../outgoing-text.ts';

/**
 * Mattermost splits a longer text, and attachments that are together longer than its limit, into several posts:
 * https://developers.mattermost.com/integrate/webhooks/incoming/#tips-and-best-practices
 */
const MATTERMOST_LIMITS = { text: 16_383, footer: 300 } as const;

const OURS = { headline: 350, summary: 500, label: 80, fact: 700, short: 40 } as const;

/**
 * A space without width keeps names from being mentions and links, for which Mattermost has no escape. It also reads the
 * notation of Slack, which `&lt;` does not begin.
 */
const { plain, link, runbookOf } = markdown((line) =>
  line
    .replaceAll(/[\\`*_[\]#~|>]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll(/@|:(?=\/\/)/g, '$&\u200B'),
);

/**
 * The message as a post: its title as text, and an attachment for each alert. If it is too long for one post, facts are
 * left out from the end, or the links of later items. Answers are links: buttons need a server that Mattermost calls.
 * https://developers.mattermost.com/integrate/reference/message-attachments
 */
export function mattermostPost(message: Message) {
  return mostThatFits(
    message,
    (layout) => ({
      text: textOf(layout),
      attachments: layout.single ? [alone(layout.single)] : layout.items.map(inDigest),
    }),
    (written) => JSON.stringify(written).length <= MATTERMOST_LIMITS.text,
  );
}

function textOf(layout: ChatLayout): string {
  const more = layout.single ? [] : moreOf(layout, link);
  return [`**${plain(OURS.headline, layout.title)}**`, ...(more.length > 0 ? [more.join(' · ')] : [])].join(
    '\n',
  );
}

/** The alert of a message about one alert. */
function alone(layout: ChatItem) {
  const { facts, smallFacts, moreFacts, source } = layout;
  const whatToDo = runbookOf(layout);
  const text = [
    ...moreFacts,
    ...(whatToDo === undefined ? [] : [`**What to do:** ${whatToDo}`]),
    ...(buttonsOf(layout).length > 0 ? [buttonsOf(layout).map(link).join(' · ')] : []),
  ].join('\n');
  return {
    ...attachment(layout),
    text,
    fields: [...facts, ...smallFacts].map((fact) => {
      const value = plain(OURS.fact, fact.text);
      return { title: plain(OURS.label, fact.label), value, short: value.length <= OURS.short };
    }),
    footer: oneLine(MATTERMOST_LIMITS.footer, source.join(' · ')),
  };
}

/** One alert of a digest: headline, one line of figures, and a link. */
function inDigest(layout: ChatItem) {
  const { headline, summary, open } = layout;
  const below = [...(summary === null ? [] : [plain(OURS.summary, summary)]), ...(open ? [link(open)] : [])];
  const text = [`**${plain(OURS.headline, headline)}**`, ...(below.length > 0 ? [below.join(' · ')] : [])];
  return { ...attachment(layout), text: text.join('\n') };
}

function attachment({ look, headline, picture }: ChatItem) {
  return {
    // Plain text, for notifications.
    fallback: oneLine(OURS.headline, headline),
    color: `#${COLORS[look]}`,
    ...(picture ? { image_url: picture.url } : {}),
  };
}
