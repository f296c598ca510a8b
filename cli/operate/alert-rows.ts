import { bySeverity, good } from '../../local/colour.ts';
import { measureText, percentText } from '../../shared/messages/figure-text.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { tableText } from '../terminal/table.ts';
import type { AlertReport } from './alert-report.ts';

/** The alerts as a table of 80 columns. */
export function alertTable(alerts: AlertReport[]): string {
  return tableText(
    [
      { title: 'ALERT', width: 25 },
      { title: 'STATE', width: 10 },
      { title: 'LAST WINDOW', width: 17, align: 'right' },
      { title: 'SINCE (UTC)', width: 11 },
      { title: 'ACK BY', width: 9 },
    ],
    alerts.map((alert) => [
      subjectOf(alert),
      stateText(alert),
      movementOf(alert),
      sinceOf(alert),
      acknowledgementOf(alert),
    ]),
  );
}

/** `rule [segment]`, as the other commands take it. */
export function subjectOf({ rule, segment }: Pick<AlertReport, 'rule' | 'segment'>): string {
  return segment === null ? rule : `${rule} [${printable(segment)}]`;
}

function stateText({ state, severity }: AlertReport): string {
  return state === 'normal' ? good(state) : bySeverity(severity, `${state} ${severity}`);
}

function movementOf({ current, baseline, changePct, isShare }: AlertReport): string {
  if (current === null) return '-';
  const percent = changePct === null ? '' : ` ${percentText(changePct / 100).replace(' ', '')}`;
  return `${baseline === null ? '' : `${measureText(baseline, isShare)} to `}${measureText(current, isShare)}${percent}`;
}

function sinceOf({ since }: AlertReport): string {
  return since === null ? '-' : minuteText(Date.parse(since)).slice(5, 16);
}

function acknowledgementOf({ taken, quiet, state }: AlertReport): string {
  if (state === 'normal' || state === 'pending') return '-';
  const who = taken ? printable(taken.by) : 'no one';
  return quiet ? `${who}, ${quiet.because === 'silence' ? 'silenced' : 'snoozed'}` : who;
}
