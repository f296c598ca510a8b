import { aboutRule, type Finding } from '../../shared/alerting/lint/findings.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { didYouMean } from '../../shared/alerting/text/nearest-words.ts';

/** Rules of apps that there is nothing to ask about, by the apps that have data. */
export function unknownApps(rules: Rule[], known: readonly string[]): Finding[] {
  return rules
    .filter(({ app }) => !known.includes(app))
    .flatMap(({ id, app }) => {
      const next =
        didYouMean(app, known) ||
        '; bring it in with deltawatch data import, or name a folder with --data or a service with --service';
      return aboutRule(id, [
        { code: 'live-unread', path: ['app'], message: `there is no data of the app "${app}"${next}` },
      ]);
    });
}
