import { loadStanding } from '../shared/responding/alert-status.ts';
import type { Stores } from '../shared/store/stores.ts';
import { type AlertReport, allAlerts, openAlerts } from './alert-report.ts';

/** The open alerts, or all stored ones, of one deployed rule or all. */
export async function listAlerts(
  stores: Stores,
  { rule, all }: { rule: string | undefined; all: boolean },
  now: number,
): Promise<AlertReport[]> {
  const standing = await loadStanding(stores, now);
  return (all ? allAlerts : openAlerts)(standing, stores.alerts, { rule, now });
}
