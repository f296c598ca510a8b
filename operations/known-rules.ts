import type { Installation } from '../local/installation.ts';
import { appAlertKey } from '../shared/alerting/alerts/app-alert.ts';
import { inForceOf, noSuchRule } from './find-rule.ts';

/** Throws `InvalidRequestError` where neither a rule in force nor an app's own alert is called so. */
export async function requireRule(
  id: string,
  { stores, description }: Pick<Installation, 'stores' | 'description'>,
): Promise<void> {
  const inForce = (await stores.rules.loadCurrent())?.rules ?? [];
  const apps = inForce.map(({ app }) => appAlertKey(app).ruleId);
  const known = [...new Set([...inForce.map((rule) => rule.id), ...apps])];
  if (!known.includes(id)) throw noSuchRule(id, known, inForceOf({ description }));
}
