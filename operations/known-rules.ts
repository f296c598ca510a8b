import type { Installation } from '../local/installation.ts';
import { appAlertKey } from '../shared/alerts/app-alert.ts';
import { deployedOn, noSuchRule } from './find-rule.ts';

/** Throws `InvalidRequestError` if no deployed rule and no app alert has this id. */
export async function requireRule(
  id: string,
  { stores, description }: Pick<Installation, 'stores' | 'description'>,
): Promise<void> {
  const deployed = (await stores.rules.loadCurrent())?.rules ?? [];
  const apps = deployed.map(({ app }) => appAlertKey(app).ruleId);
  const known = [...new Set([...deployed.map((rule) => rule.id), ...apps])];
  if (!known.includes(id)) throw noSuchRule(id, known, deployedOn({ description }));
}
