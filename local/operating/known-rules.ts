import { appAlertKey } from '../../shared/alerting/app-alert.ts';
import { didYouMean } from '../../shared/alerting/nearest-words.ts';
import type { RuleStore } from '../../shared/alerting/ports.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** Throws `ConfigError` where neither a rule in force nor an app's own alert is called so; it says what may be meant. */
export async function requireRule(id: string, rules: RuleStore): Promise<void> {
  const inForce = (await rules.loadCurrent())?.rules ?? [];
  const apps = inForce.map(({ app }) => appAlertKey(app).ruleId);
  const known = [...new Set([...inForce.map((rule) => rule.id), ...apps])];
  if (known.includes(id)) return;
  throw new ConfigError(`no rule in force is called "${id}"${didYouMean(id, known)}`);
}
