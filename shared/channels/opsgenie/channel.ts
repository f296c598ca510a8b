import type { Channel } from '../../messages/channel.ts';
import { type MessageItem, messageOf } from '../../messages/message.ts';
import { contentHash } from '../../text/content-hash.ts';
import { chatMessage, PLAIN } from '../chat-text.ts';
import type { ChannelDeps } from '../deps.ts';
import { oneLine } from '../outgoing-text.ts';
import { headerValue, postingPager } from '../pager.ts';
import type { OpsgenieSettings } from './config.ts';

/**
 * The Alert API of Opsgenie (https://docs.opsgenie.com/docs/alert-api), and the same of Jira Service Management:
 * https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events
 */
const ADDRESSES = {
  jira: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
  us: 'https://api.opsgenie.com/v2/alerts',
  eu: 'https://api.eu.opsgenie.com/v2/alerts',
} as const;
/** `note` and `detail` are ours. */
const LIMITS = { message: 130, description: 15_000, entity: 512, note: 1500, detail: 1000 } as const;
const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const;

/** Opsgenie shows HTML. */
const withoutHtml = (text: string): string => text.replaceAll('<', '‹');
const shown = (limit: number, text: string): string => withoutHtml(oneLine(limit, text));
const descriptionOf = chatMessage(
  { ...PLAIN, escaped: withoutHtml },
  ({ title, alerts: [alert] }) => [title, ...(alert?.lines ?? [])].join('\n'),
  ({ length }) => length <= LIMITS.description,
);

/** Sends alerts, which are open until they are closed by their alias. Throws `ConfigError` for an invalid key. */
export async function open({ api_key_secret, site }: OpsgenieSettings, deps: ChannelDeps): Promise<Channel> {
  const name = site === 'jira' ? 'Jira Service Management' : 'Opsgenie';
  const apiKey = headerValue(await deps.readSecret(api_key_secret), `${name} API key`);
  return postingPager(
    {
      ...{ name, credential: 'API key', headers: { Authorization: `GenieKey ${apiKey}` } },
      request({ item, news: { key, action } }) {
        // All integrations of an account share the aliases.
        const alias = `deltawatch-${contentHash([deps.stage, key])}`;
        if (action === 'trigger') return { url: ADDRESSES[site], body: { alias, ...alertOf(item) } };
        const url = `${ADDRESSES[site]}/${alias}/${action === 'resolve' ? 'close' : action}?identifierType=alias`;
        return { url, body: { source: 'Deltawatch', note: shown(LIMITS.note, item.headline) } };
      },
    },
    deps,
  );
}

function alertOf(item: MessageItem) {
  const { app, ruleId: rule, segment, transition, severity, headline } = item;
  return {
    message: shown(LIMITS.message, headline) || rule,
    description: descriptionOf(messageOf([item])),
    ...{ source: 'Deltawatch', priority: PRIORITIES[severity], entity: shown(LIMITS.entity, app ?? '') },
    details: { rule, segment: shown(LIMITS.detail, segment ?? ''), severity, transition },
  };
}
