import type { Alert, Notification } from '../../shared/alerting/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerting/alerts/alert-store.ts';
import type { RuleSet, RuleStore } from '../../shared/alerting/deployments/rule-store.ts';
import type { Channel } from '../../shared/alerting/messages/channel.ts';
import type { MessageLinks } from '../../shared/alerting/messages/message-links.ts';
import type { ChannelConfig } from '../../shared/alerting/notifications/channels.ts';
import type { DeliveryLog } from '../../shared/alerting/notifications/delivery-log.ts';
import type { SilenceStore } from '../../shared/alerting/notifications/silence-store.ts';
import type { RunStore } from '../../shared/alerting/planning/run-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import type { LoadedAlerts } from './loaded-alerts.ts';

export interface NotifyDeps {
  rules: RuleStore;
  alerts: AlertStore;
  runs: RunStore;
  silences: SilenceStore;
  deliveries: DeliveryLog;
  channelFor: (config: ChannelConfig, name: string) => Promise<Channel>;
  /** Without it messages carry no addresses. */
  links?: MessageLinks;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/** What one sweep works with. */
export interface Sweep extends NotifyDeps {
  ruleSet: RuleSet;
  loadedAlerts: LoadedAlerts;
  /** What is due then is sent. */
  now: number;
  /** When it begins no more. */
  beginUntilAt: number;
  /** When all that it takes is to be struck off or put off again. */
  writeUntilAt: number;
  /** Channels that get no more in this sweep. */
  done: Set<string>;
}

/** An alert with what it owes by now. */
export interface Ready {
  alert: Alert;
  due: [string, Notification][];
}
