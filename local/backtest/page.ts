import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Html } from '../../functions/respond/page/html.ts';
import { ICON, STYLE } from '../../functions/respond/page/style.ts';
import { table } from '../../functions/respond/page/table.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { spanText } from '../../shared/alerting/wording.ts';
import { counted } from '../terminal.ts';
import type { Backtest } from './backtest.ts';
import type { Comparison } from './compare.ts';
import type { Label } from './labels.ts';
import { changedSection, ruleSection } from './page-rules.ts';
import type { Plots } from './plots.ts';
import type { RuleStatistics, Statistics } from './statistics.ts';
import {
  callsText,
  foundText,
  hitsText,
  matchCells,
  rateText,
  shareText,
  spanWords,
  totalsText,
} from './words.ts';

export interface PageParts {
  backtest: Backtest;
  plots: Plots;
  labels: Label[];
  /** Where the figures come from. */
  figures: string;
  /** What the rules are compared with, where they are. */
  against?: string;
}

/** Rules that are drawn: more would make a page that no browser likes. */
const DRAWN = 60;

/** Of this page alone: long names give way, and rules stand in columns of figures. */
const OWN_STYLE = `
.tiles { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.rule { border-top: 1px solid var(--line); padding-top: 1.5rem; }
.rule h2 { overflow-wrap: anywhere; }
.rule figure { margin: 0 0 1rem; }
.rule figcaption { overflow-wrap: anywhere; }
@media (min-width: 56rem) { td, thead th:not(:first-child) { text-align: right; } .words td { text-align: left; } .words thead th:not(:first-child) { text-align: left; } }
`;

/** The report as one page that asks nothing of any host: its style and its drawings are in it. */
export async function pageOf(parts: PageParts): Promise<string> {
  const { backtest, figures, against } = parts;
  const { statistics, comparison, notes, calls } = backtest;
  const drawn = statistics.rules.slice(0, DRAWN);
  const sections: Html[] = [];
  // One after the other: each holds its whole drawing in memory.
  for (const each of drawn)
    sections.push(await ruleSection(each, { ...parts, answers: statistics.labelled?.answers }));
  const left = statistics.rules.length - drawn.length;
  const body = html`<h1>Backtest</h1>
<p class="lead">What the rules would have said of ${spanWords(statistics.span)}, on ${figures}: ${totalsText(statistics)}.</p>
${tiles(statistics, comparison)}
${comparison && changedSection(comparison, against ?? '')}
<section aria-labelledby="rules"><h2 id="rules">Rules</h2>${rulesTable(statistics)}</section>
${statistics.channels.length > 0 && html`<section aria-labelledby="messages"><h2 id="messages">Messages</h2>${channelsTable(statistics)}</section>`}
${incidentsSection(statistics)}
<section aria-labelledby="notes"><h2 id="notes">How to read this</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}<li>${callsText(calls)}.</li></ul></section>
${sections}
${left > 0 && html`<p class="quiet">${left} more rules, with fewer alerts, are not drawn.</p>`}`;
  return `${await frame(body)}\n`;
}

function frame(body: Html): Html {
  const style = STYLE + OWN_STYLE;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const icon = `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Backtest · Deltawatch</title>
<link rel="icon" href="${icon}">
<style>${raw(style)}</style>
</head>
<body>
<header class="top"><div class="bar"><span class="brand"><img src="${icon}" alt="" width="24" height="24">Deltawatch</span></div></header>
<main id="main">
${body}
</main>
</body>
</html>`;
}

function tiles(
  { alertsPerMonth, messagesPerMonth, labelled }: Statistics,
  comparison: Comparison | null,
): Html {
  const hits = labelled?.hits;
  const shown: [name: string, value: string][] = [
    ['alerts a month', rateText(alertsPerMonth)],
    ['messages a month', rateText(messagesPerMonth)],
    ...(comparison
      ? ([
          ['new alerts', `${comparison.appears}`],
          ['alerts gone', `${comparison.disappears}`],
        ] satisfies [string, string][])
      : []),
    ...(hits?.recall != null
      ? ([['incidents found', `${hits.found} of ${hits.incidents}`]] satisfies [string, string][])
      : []),
    ...(hits?.precision != null
      ? ([['alerts that were right', shareText(hits.precision)]] satisfies [string, string][])
      : []),
  ];
  return html`<ul class="tiles">${shown.map(([name, value]) => html`<li><span class="tile"><strong>${value}</strong>${name}</span></li>`)}</ul>`;
}

function rulesTable({ rules, labelled }: Statistics): Html {
  const heard = rules.filter(({ alerts }) => alerts > 0);
  const silent = rules.filter(({ alerts }) => alerts === 0);
  return html`${heard.length > 0 && alertingTable(heard, labelled !== null)}
${silent.length > 0 && html`<p>${counted(silent.length, 'rule')} never alerted: ${silent.map(({ rule }, i) => html`${i > 0 && ', '}${linkTo(rule)}`)}.</p>`}`;
}

const HEADS = ['Rule', 'Alerts', 'A month', 'Longest', 'Median', 'Flaps', 'Unknown', 'Messages a month'];

function alertingTable(rules: RuleStatistics[], isLabelled: boolean): Html {
  return table(
    'What each rule did',
    [...HEADS, ...(isLabelled ? ['Right', 'Elsewhere at that time'] : [])],
    rules.map((each) => [
      linkTo(each.rule),
      ...[each.alerts, rateText(each.alertsPerMonth)],
      ...[spanText(each.openMs.longest), spanText(each.openMs.median ?? 0)],
      ...[each.flaps, shareText(each.unknownShare), rateText(each.messagesPerMonth)],
      ...(isLabelled ? matchCells(each.hits) : []),
    ]),
  );
}

function linkTo({ id }: Rule): Html {
  return html`<a href="#rule-${id}">${id}</a>`;
}

function channelsTable({ channels }: Statistics): Html {
  return table(
    'Messages by route and channel',
    ['Route and channel', 'Messages', 'A month'],
    channels.map(({ route, channel, messages, messagesPerMonth }) => [
      ...[`${route} → ${channel}`, messages, rateText(messagesPerMonth)],
    ]),
  );
}

function incidentsSection({ labelled }: Statistics): Html | false {
  if (!labelled) return false;
  const rows = labelled.outcomes.map((outcome) => [
    outcome.label.title,
    `${new Date(outcome.label.startAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    foundText(outcome),
  ]);
  return html`<section class="words" aria-labelledby="incidents"><h2 id="incidents">Known incidents</h2>
<p>${hitsText(labelled.hits)}.</p>
${rows.length > 0 && table('What became of each incident', ['Incident', 'Began', 'Found by'], rows)}</section>`;
}
