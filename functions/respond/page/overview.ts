import { html } from 'hono/html';
import { nextRun } from '../../../shared/alerting/cadence.ts';
import type { Evaluation } from '../../../shared/alerting/evaluation.ts';
import { metricOf } from '../../../shared/alerting/metrics.ts';
import type { FigureRule } from '../../../shared/alerting/rule.ts';
import { windowText } from '../../../shared/alerting/wording.ts';
import { badge, changeText, segmentTag, seriesPath, stateBadges, subject, valueText } from './alert-parts.ts';
import type { Html, View } from './html.ts';
import type { Progress } from './progress.ts';
import {
  isWrong,
  type OwedMessage,
  type RuleStatus,
  type Said,
  type Snapshot,
  type Watched,
  watchedIn,
} from './snapshot.ts';
import { table } from './table.ts';
import { ago, moment, timeTag, withTimes } from './time.ts';

const LAST_MESSAGES = 5;

/** What is wrong now, what cannot be told, what is still to be said. */
export function overview(snapshot: Snapshot): View {
  const { now, progress, statuses, owed, said } = snapshot;
  const wrong = watchedIn(statuses).filter(isWrong);
  const uncheckable = statuses.filter(({ whole }) => whole && whole.health.kind !== 'ok');
  const body = html`<h1>${headline(snapshot, wrong.length, uncheckable.length)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${outlook(snapshot)}
${wrong.length > 0 && html`<ul class="cards">${wrong.map((each) => wrongCard(each, now))}</ul>`}
${uncheckable.length > 0 && uncheckableSection(uncheckable, now)}
${owed.length > 0 && owedSection(owed, now)}
${said.length > 0 && lastSaid(said, now)}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** A rule that cannot be checked is never passed over as "nothing is wrong". */
function headline({ statuses, stopped }: Snapshot, wrong: number, uncheckable: number): string {
  if (!isJudged(statuses)) return 'Nothing to tell yet';
  const parts = [
    ...stopped.map((app) => `no data from ${app}`),
    ...(wrong > 0 ? [`${counted(wrong, 'alert')} open`] : []),
    ...(uncheckable > 0 ? [`${counted(uncheckable, 'rule')} cannot be checked`] : []),
  ];
  const text = parts.join(', ') || 'nothing is wrong';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** In one sentence: what is watched, and when it is looked at next. */
function outlook({ statuses, now }: Snapshot): Html {
  const next = statuses
    .map(({ rule }) => ({ rule, at: nextRun(rule.cadence, now) }))
    .reduce<{ rule: RuleStatus['rule']; at: number } | undefined>(
      (a, b) => (a && a.at <= b.at ? a : b),
      undefined,
    );
  if (!next)
    return html`<p class="empty">No rules are deployed. Once there are, this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.</p>`;
  return html`<p class="lead">${counted(statuses.length, 'rule')} in force; the next look is at ${moment(next.at, next.rule.zone, now)}.${
    !isJudged(statuses) &&
    ' Then this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.'
  }</p>`;
}

function isJudged(statuses: RuleStatus[]): boolean {
  return statuses.some(({ whole }) => whole !== undefined);
}

function progressPanel({ step, done, total, note }: Extract<Progress, { phase: 'catching-up' }>): Html {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 0;
  return html`<section class="panel" aria-label="Progress">
<p><label for="progress"><strong>${step}</strong></label> <span class="quiet">${percent} %</span></p>
<progress id="progress" max="100" value="${percent}">${percent} %</progress>
${note !== undefined && html`<p class="quiet">${note}</p>`}</section>`;
}

function wrongCard({ rule, alert }: Watched, now: number): Html {
  const { last, fired, stateSinceAt, segment } = alert;
  return html`<li class="card ${alert.state}">
<p class="badges">${stateBadges(alert)} ${badge(rule.severity)}</p>
<h2><a href="${seriesPath(alert)}">${rule.title}</a></h2>
${segment !== null && html`<p>${segmentTag(segment, rule.group_by)}</p>`}
${last && (rule.members ? html`<p class="movement">${last.reason}</p>` : figures(rule, last))}
<p class="quiet">Since ${moment(fired?.windowEndAt ?? stateSinceAt, rule.zone, now)}</p>
</li>`;
}

function figures(rule: FigureRule, last: Evaluation): Html {
  const calendar = { grain: rule.window, zone: rule.zone };
  return html`<p class="movement"><span class="from">${valueText(last.baseline.value)}</span> <span class="arrow" aria-label="to">→</span> <strong>${valueText(last.current.value)}</strong> <span class="unit">${metricOf(rule).unit}</span></p>
<p class="change">${changeText({ last })} <span class="quiet">in ${windowText(last.window, calendar)}</span></p>`;
}

function uncheckableSection(statuses: RuleStatus[], now: number): Html {
  const rows = statuses.flatMap(({ rule, whole }) => {
    if (!whole || whole.health.kind === 'ok') return [];
    const { kind, reason, since } = whole.health;
    return [[subject(whole, rule), badge(kind), withTimes(reason, rule.zone), moment(since, rule.zone, now)]];
  });
  return html`<section><h2>Cannot be checked</h2>
<p class="quiet">Nothing here is taken for “all clear”: the same windows are tried again at the next run.</p>
${table('Rules that cannot be checked', ['Rule', 'Health', 'Why', 'Since'], rows)}</section>`;
}

function owedSection(owed: OwedMessage[], now: number): Html {
  const rows = owed.map(({ alert, debt, rule }) => [
    subject(alert, rule),
    badge(debt.transition),
    debt.channel,
    debt.attempts,
    debt.dueAt > now ? moment(debt.dueAt, rule?.zone ?? 'UTC', now) : `due ${ago(debt.dueAt, now)}`,
  ]);
  return html`<section><h2>Still to be sent</h2>
${table('Messages still to be sent', ['About', 'What', 'Channel', 'Failed attempts', 'Next attempt'], rows)}</section>`;
}

function lastSaid(said: Said[], now: number): Html {
  const items = said.slice(0, LAST_MESSAGES).map(
    ({ text, channel, sentAt }) => html`<li><span class="line">${text}</span>
<span class="quiet">${channel} · ${timeTag(sentAt, 'UTC')} · ${ago(sentAt, now)}</span></li>`,
  );
  return html`<section><h2>Last messages</h2><ul class="lines">${items}</ul></section>`;
}
