import type { Alert, Notification } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import type { NoteStore } from '../../shared/alerts/note.ts';
import type { ChannelConfig } from '../../shared/channels/kinds.ts';
import type { RuleSet, RuleStore } from '../../shared/deployments/rule-store.ts';
import type { Channel } from '../../shared/messages/channel.ts';
import type { MessageLinks } from '../../shared/messages/message-links.ts';
import type { DeliveryLog } from '../../shared/notifications/delivery-log.ts';
import type { RunStore } from '../../shared/planning/run-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import type { SilenceStore } from '../../shared/silences/silence.ts';
import type { LoadedAlerts } from './loaded-alerts.ts';

export interface NotifyDeps {
  rules: RuleStore;
  alerts: AlertStore;
  runs: RunStore;
  silences: SilenceStore;
  notes: Pick<NoteStore, 'load'>;
  deliveries: DeliveryLog;
  channelFor: (config: ChannelConfig, name: string) => Promise<Channel>;
  /** Without it, messages have no links. */
  links?: MessageLinks;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

export interface Sweep extends NotifyDeps {
  ruleSet: RuleSet;
  loadedAlerts: LoadedAlerts;
  /** Notifications that are due at this time are sent. */
  now: number;
  /** No message is started after this time. */
  beginUntilAt: number;
  /** All leased notifications are settled or postponed by this time. */
  writeUntilAt: number;
  /** Channels that get no more messages in this sweep. */
  failing: Set<string>;
}

/** An alert with its due notifications, by key. */
export interface Ready {
  alert: Alert;
  due: [string, Notification][];
}
