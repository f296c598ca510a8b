import { signOf } from '../../alerts/transitions.ts';
import type { MessageItem } from '../../messages/message.ts';
import { matches } from '../../silences/matching.ts';
import type { Mention } from './config.ts';

/** Whether the item asks somebody to act: not the end of an alert, an answer or a test. */
export function asksToAct({ transition }: MessageItem): boolean {
  return signOf(transition) === 'severity';
}

/**
 * Everybody to mention for these items, in Slack's notation, such as "<!subteam^S0123ABCD> <!here>"; `''` for nobody.
 * These come from the routes, never from data: names in data are escaped.
 */
export function mentionsIn(items: MessageItem[], mentions: Mention[] = []): string {
  const about = items.filter(asksToAct).flatMap((item) => item.about ?? []);
  const called = mentions
    .filter(({ match = {} }) => about.some((each) => matches(match, each)))
    .map(({ mention }) => notationOf(mention));
  return [...new Set(called)].join(' ');
}

/** https://docs.slack.dev/messaging/formatting-message-text#mentioning-users */
function notationOf(mention: string): string {
  if (mention === 'here' || mention === 'channel') return `<!${mention}>`;
  return mention.startsWith('S') ? `<!subteam^${mention}>` : `<@${mention}>`;
}
