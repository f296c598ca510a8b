import type { UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Digest, digestOf, partOfRule } from '../../shared/notifications/digest.ts';
import type { Window } from '../../shared/time/window.ts';
import { eachOf } from './loaded-alerts.ts';
import type { NotifyDeps } from './sweep.ts';

/** The newest deliveries that are searched for those of the period. */
const DELIVERIES = 10_000;

/** Reads all alerts of the deployed rules once, some rules at a time, and keeps only what the digest says of them. */
export async function loadDigest(
  { rules, unreadable = [] }: Pick<RuleSet, 'rules' | 'unreadable'>,
  { period, zone }: { period: Window; zone: string },
  { alerts, silences, deliveries }: Pick<NotifyDeps, 'alerts' | 'silences' | 'deliveries'>,
): Promise<Digest> {
  const unreadApps: UnreadableAlert[] = [];
  const apps = [...new Set(rules.map(({ app }) => app))];
  const parts = await eachOf(rules, async (rule) => {
    const unread: UnreadableAlert[] = [];
    const own = await alerts.loadOfRule(rule.id, (each) => void unread.push(each));
    return partOfRule(rule, own, unread, period);
  });
  const appAlerts = await alerts.load(apps.map(appAlertKey), (each) => void unreadApps.push(each));
  return digestOf(parts, {
    ...{ period, zone, appAlerts },
    unreadable: { rules: unreadable, alerts: unreadApps },
    deliveries: await deliveries.loadLast(DELIVERIES),
    silences: await silences.loadAll(),
  });
}
