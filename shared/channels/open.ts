import type { Channel } from '../messages/channel.ts';
import type { ChannelDeps } from './deps.ts';
import type { ChannelConfig, Kind, SettingsOf } from './kinds.ts';

/** `channel.ts` of a kind. A method, so that all kinds can be called in one way. */
interface ChannelOpener<Settings> {
  open(settings: Settings, deps: ChannelDeps): Promise<Channel>;
}

/** Loaded late: most stages use one or two kinds, and each cold start would load the clients of all. */
const OPENERS: { [K in Kind]: () => Promise<ChannelOpener<SettingsOf<K>>> } = {
  slack: () => import('./slack/channel.ts'),
  pagerduty: () => import('./pagerduty/channel.ts'),
  incidentio: () => import('./incidentio/channel.ts'),
  opsgenie: () => import('./opsgenie/channel.ts'),
  jira: () => import('./jira/channel.ts'),
  webhook: () => import('./webhook/channel.ts'),
  sns: () => import('./sns/channel.ts'),
  eventbridge: () => import('./eventbridge/channel.ts'),
  email: () => import('./email/channel.ts'),
  teams: () => import('./teams/channel.ts'),
  discord: () => import('./discord/channel.ts'),
  mattermost: () => import('./mattermost/channel.ts'),
  googlechat: () => import('./googlechat/channel.ts'),
};

/** The channel of a configuration. It is opened each time it is needed, so that a changed secret is used soon. */
export async function openChannel(config: ChannelConfig, deps: ChannelDeps): Promise<Channel> {
  const openers: Readonly<Record<string, () => Promise<ChannelOpener<unknown>>>> = OPENERS;
  const [[kind, settings] = ['', undefined]] = Object.entries(config);
  const opener = await openers[kind]?.();
  if (!opener) throw new TypeError(`there is no kind of channel "${kind}"`);
  return opener.open(settings, deps);
}
