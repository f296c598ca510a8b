import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';

/** Rules of apps without data, with the names of apps that have some. */
export function unknownApps(rules: Rule[], known: readonly string[]): Finding[] {
  return rules
    .filter(({ app }) => !known.includes(app))
    .flatMap(({ id, app }) => {
      const next =
        didYouMean(app, known) || '; import it with deltawatch data import, or use --data or --service';
      return aboutRule(id, [
        { code: 'live-unread', path: ['app'], message: `there is no data for the app "${app}"${next}` },
      ]);
    });
}
