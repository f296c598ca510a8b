import { loadDigest } from '../functions/notify/load-digest.ts';
import type { Digest } from '../shared/notifications/digest.ts';
import { lastPeriod } from '../shared/notifications/digest-schedule.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { Stores } from '../shared/store/stores.ts';
import { WEEK_MS } from '../shared/units/durations.ts';

/**
 * The digest of the last complete period of `digest` in the deployed routes; of the last seven days if they have none.
 * Throws `ConfigError` before the first deployment.
 */
export async function pastDigest(stores: Stores, now: number): Promise<Digest> {
  const ruleSet = await stores.rules.loadCurrent();
  if (!ruleSet) throw new ConfigError('no rules are deployed: deploy some with "deltawatch apply"');
  const { digest } = ruleSet.routes;
  const period = digest ? lastPeriod(digest, now) : { startAt: now - WEEK_MS, endAt: now };
  return loadDigest(ruleSet, { period, zone: digest?.zone ?? 'UTC' }, stores);
}
