import type { PendingNotification } from '../notifications/pending.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { cadenceName } from '../time/cadence.ts';

/** Fewer rules can fall together by chance, or because they watch the same event. */
const LEAST = 3;

/**
 * The title if most counts of an app fell in one run: then it is more likely that tracking failed than each of them.
 * Segments are left out: their fall says nothing about the whole.
 */
export function commonFallTitle(pending: PendingNotification[], rules: Rule[]): string | undefined {
  const fallen = pending.flatMap(({ notification: { transition, evaluation, since }, rule }) =>
    rule && isCount(rule) && transition === 'fired' && (evaluation?.difference ?? 0) < 0
      ? [{ rule, run: `${rule.app} ${cadenceName(rule.cadence)} ${since}` }]
      : [],
  );
  for (const together of Map.groupBy(fallen, ({ run }) => run).values()) {
    const ids = new Set(together.map(({ rule }) => rule.id));
    const [{ rule: like }] = together as [(typeof together)[number]];
    const cadence = cadenceName(like.cadence);
    const evaluated = rules.filter(
      (rule) =>
        rule.app === like.app && isCount(rule) && !rule.quiet && cadenceName(rule.cadence) === cadence,
    );
    if (ids.size >= LEAST && ids.size > evaluated.length / 2)
      return `Tracking or the data source of ${like.app} may be down: ${ids.size} of ${evaluated.length} counts fell together`;
  }
  return undefined;
}

function isCount(rule: Rule): boolean {
  return !rule.members && !hasSegments(rule) && metricOf(rule).kind === 'count';
}
