import { loadStatus } from '../shared/responding/alert-status.ts';
import type { Stores } from '../shared/store/stores.ts';
import { type AlertReport, allAlerts, openAlerts } from './alert-report.ts';

/** The open alerts, or all stored ones, of one deployed rule or all. */
export async function listAlerts(
  stores: Stores,
  { rule, all }: { rule: string | undefined; all: boolean },
  now: number,
): Promise<AlertReport[]> {
  const status = await loadStatus(stores, now);
  return (all ? allAlerts : openAlerts)(status, stores.alerts, { rule, now });
}
