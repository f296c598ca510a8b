import { appAddressee } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { routeTexts } from '../../shared/messages/route-text.ts';
import { waitBefore } from '../../shared/notifications/reminders.ts';
import type { Repeat } from '../../shared/notifications/route-settings.ts';
import { type Route, type Routes, routesAtAnyTime, routesFor } from '../../shared/notifications/routes.ts';
import { comparisonText } from '../../shared/rules/comparison.ts';
import { hasSegments, type Rule } from '../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import { costLines } from './history-costs.ts';

const WAITS_SHOWN = 3;

/** Each rule with its evaluation and receivers, then receivers by app, then the cost of the rules. */
export function ruleLines({ rules, routes }: RuleSet, now: number): string[] {
  const ofRules = rules.flatMap((rule) => [
    rule.id,
    `  every ${rule.window} (${rule.zone})`,
    ...[...evaluatedBy(rule), ...notifiedBy(rule, routes)].map((line) => `  ${line}`),
  ]);
  const byFigures = rules.filter((rule) => !rule.members);
  return [...ofRules, '', ...stopsOf(rules, routes), '', ...costLines(byFigures, now)];
}

function evaluatedBy(rule: Rule): string[] {
  if (rule.members)
    return [
      `fires while ${rule.members.needs} of these fire`,
      ...rule.members.ruleIds.map((id) => `  ${id}`),
    ];
  return [
    `compared with ${comparisonText(rule.baseline, rule.window)}${rule.compare ? '' : ' (by default)'}`,
  ];
}

/** The receivers of the whole rule, at any time or at `at`, and how their routes notify. */
export function notifiedBy(rule: Rule, routes: Routes, at?: number): string[] {
  const possible = at === undefined ? routesAtAnyTime(rule, routes) : routesFor(rule, routes, at);
  const texts = routeTexts(possible);
  const bySegment = routes.routes.filter(({ match }) => match.segment !== undefined);
  return [
    ...possible.flatMap((route, i) => {
      const receivers = `${i === 0 ? 'notifies ' : ''}${texts[i]}`;
      return [
        rule.quiet ? `${receivers} only if it cannot be evaluated` : receivers,
        ...settingLines(route).map((line) => `  ${line}`),
      ];
    }),
    ...(hasSegments(rule) && bySegment.length > 0
      ? [`  segments can match ${bySegment.map(({ name }) => name).join(', ')}`]
      : []),
  ];
}

function settingLines({ group_by, repeat, mute }: Route): string[] {
  return [
    ...(group_by.length > 0 ? [`one message per ${group_by.join(' and ')}`] : []),
    ...(repeat ? [repeatText(repeat)] : []),
    ...(mute.length > 0 ? [`muted during ${mute.join(' or ')}`] : []),
  ];
}

/** Who is notified if an app stops sending data, one line per app. */
export function stopsOf(rules: Rule[], routes: Routes): string[] {
  return [...Map.groupBy(rules, ({ app }) => app)].flatMap(([app, ofApp]) => {
    const receivers = routeTexts(routesAtAnyTime(appAddressee(app, ofApp), routes));
    return `if ${app} sends no data: notifies ${receivers.join(', ')}`;
  });
}

/** "again after 4 hours, then 8, 16, then every day", in the written unit. */
function repeatText(repeat: Repeat): string {
  const { after, at_most = Infinity } = repeat;
  const limit = at_most === Infinity ? '' : `, ${at_most} times at most`;
  if (waitBefore(1, repeat) >= DAY_MS) return `again every ${after === '1 day' ? 'day' : after}${limit}`;

  const waits: number[] = [];
  for (let i = 1; i <= at_most && waitBefore(i, repeat) < DAY_MS; i++) waits.push(waitBefore(i, repeat));
  const unit = after.includes('hour') ? HOUR_MS : MINUTE_MS;
  const next = waits.slice(1, WAITS_SHOWN).map((wait) => wait / unit);
  const reminders = [`again after ${after}`, ...(next.length > 0 ? [next.join(', ')] : [])].join(', then ');
  const isAll = at_most <= waits.length;
  if (waits.length > WAITS_SHOWN) return `${reminders} and so on${isAll ? '' : ', up to every day'}${limit}`;
  return isAll ? `${reminders}, then stops` : `${reminders}, then every day${limit}`;
}
