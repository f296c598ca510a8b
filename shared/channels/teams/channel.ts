import { chatMessage, markdown } from '../chat-text.ts';
import { type ChatVendor, opens } from '../chat-webhook.ts';

/**
 * Teams accepts 28 KB per message, with the envelope that the workflow adds:
 * https://learn.microsoft.com/microsoftteams/limits-specifications-teams
 */
const MOST_BYTES = 20_000;

/**
 * The message as an Adaptive Card, in the envelope that a workflow of Teams expects. Version 1.4 is the newest that all
 * programs of Teams show. Its texts are Markdown:
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
 */
export const teamsMessage = chatMessage(
  markdown((line) =>
    line
      .replaceAll(/[\\`*_[\]<>~#|]/g, '\\$&')
      .replace(/^([-+]|\d+\.)(?= )/, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`),
  ),
  ({ title, alerts, more }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            { ...textBlock(title), size: 'Large', weight: 'Bolder' },
            ...alerts.flatMap(({ lines, picture }) => [
              ...lines.map((line, i) => ({ ...textBlock(line), spacing: i === 0 ? 'Medium' : 'None' })),
              // Teams loads images over https only.
              ...(picture?.url.startsWith('https:')
                ? [{ type: 'Image', url: picture.url, altText: picture.alt, size: 'Stretch' }]
                : []),
            ]),
            ...(more === '' ? [] : [textBlock(more)]),
          ],
        },
      },
    ],
  }),
  (written) => Buffer.byteLength(JSON.stringify(written)) <= MOST_BYTES,
);

function textBlock(text: string) {
  return { type: 'TextBlock', text, wrap: true };
}

/**
 * Sends each message as an Adaptive Card to a workflow that starts "when a Teams webhook request is received". It answers
 * 202 before it posts the card. Any other success also counts as sent: a message that was probably posted must not be
 * sent again and again.
 */
const TEAMS: ChatVendor = {
  name: 'Teams',
  layout: teamsMessage,
  verdictOn({ status, body }) {
    // A redirect, or a proxy's page. A workflow that ends with a response of its own answers 200 with any other text.
    if (status < 400 && (status >= 300 || body.trimStart().startsWith('<'))) return 'foreign';
    if (status >= 400) return { status, error: /"code"\s*:\s*"([A-Za-z]{3,60})"/.exec(body)?.[1] };
    return 'accepted';
  },
  adviceOn({ status, error }) {
    if (error === 'WorkflowTriggerIsNotEnabled') return ': turn the workflow on';
    if ([401, 403, 404, 410].includes(status))
      return ': the workflow was removed, or its address changed; store its new address in the secret';
    return '';
  },
};

export const open = opens(TEAMS);
