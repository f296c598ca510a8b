import { join } from 'node:path';
import { readSeries } from '../detection/series.ts';
import { COLLEGE_SPANS, collegeCuts } from './college.ts';
import { type Finding, findingOf, type Knowledge, type LogCut, type LoggedAlert } from './right-or-wrong.ts';
import { seriesCuts } from './series-cuts.ts';

const CUT_DAYS = 28;
/** The number of cuts of each series. The log of messages is cut completely. */
const CUTS = 4;

interface Tally {
  appMonths: number;
  findings: Finding[];
}

/**
 * Counts the right and wrong alerts on the log and the series in `dir`. Each is cut to periods of four weeks, without
 * the data before.
 */
export async function realLogs(dir: string) {
  const messages = { spans: COLLEGE_SPANS, isComplete: false };
  const college = tally();
  const file = join(dir, 'events', 'college_messages.csv');
  for await (const each of collegeCuts(file, CUT_DAYS)) note(college, 'messages', each, messages);
  const series = tally();
  for (const each of readSeries(join(dir, 'series'))) {
    const knowledge = {
      spans: each.labels.map((label) => ({ ...label, what: 'label' })),
      isComplete: each.isLabelled,
    };
    for await (const cut of seriesCuts(each, { days: CUT_DAYS, cuts: CUTS }))
      note(series, each.name, cut, knowledge);
  }
  const by = (name: string): Tally => ({
    ...series,
    findings: series.findings.filter((each) => each.by === name),
  });
  return {
    messages: summaryOf(college),
    evaluate: summaryOf(by('evaluate')),
    backtest: summaryOf(by('backtest')),
  };
}

function tally(): Tally {
  return { appMonths: 0, findings: [] };
}

function note(
  to: Tally,
  log: string,
  { cut, alerts }: { cut: LogCut; alerts: LoggedAlert[] },
  knowledge: Knowledge,
): void {
  const findings = alerts.map((alert) => findingOf(alert, knowledge, cut));
  to.appMonths += CUT_DAYS / 30;
  to.findings.push(...findings);
  const counts = countsOf(findings);
  console.log(
    `\n${log} from ${dayOf(cut.startAt)}: ${counts.right} right, ${counts.wrong} wrong, ${counts.unlabelled} unlabelled`,
  );
  for (const finding of findings) console.log(lineOf(finding));
}

function lineOf({ verdict, window, by, transition, baseline, current, why }: Finding): string {
  const moved = current === null ? '' : `${shortOf(baseline)} to ${shortOf(current)}`;
  const when = new Date(window.startAt).toISOString().slice(5, 13).replace('T', ' ');
  return `  ${verdict.padEnd(10)} ${when} ${by.padEnd(11)} ${transition.padEnd(8)} ${moved.padEnd(14)} ${why}`.trimEnd();
}

function summaryOf({ appMonths, findings }: Tally) {
  return {
    alerts: findings.length,
    ...countsOf(findings),
    wrongPerMonth: Math.round((countsOf(findings).wrong / appMonths) * 1000) / 1000,
  };
}

function countsOf(findings: Finding[]): Record<Finding['verdict'], number> {
  const counts = { right: 0, wrong: 0, unlabelled: 0 };
  for (const { verdict } of findings) counts[verdict] += 1;
  return counts;
}

function shortOf(figure: number | null): string {
  return figure === null ? 'nothing' : SHORT.format(figure);
}

const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
