import {
  failingRulesIn,
  type Listed,
  listedIn,
  type Status,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import type { Pulse } from '../../../shared/responding/pulse.ts';
import { STATES } from '../page/alerts-view.ts';

/** The most alerts with a sample of their own, the most severe first. All are counted. */
const MOST_ALERTS = 1000;

interface Measured {
  status: Status;
  pulse: Pulse;
  /** Alerts with notifications that are due. */
  due: number;
  /** The call budget of an app. */
  callsPerHour: number | undefined;
}

/** `null`: not known, so there is no sample. */
type Sample = [labels: Readonly<Record<string, string>>, value: number | null];

/** Gauges in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats). */
export function metricsText({ status, pulse, due, callsPerHour }: Measured): string {
  const listed = listedIn(status);
  const states = Map.groupBy(listed, stateOf);
  const ofApps = (figure: (app: Pulse['apps'][number]) => number | null): Sample[] =>
    pulse.apps.map((each) => [{ app: each.app }, figure(each)]);
  const ofRuns = (figure: (run: Pulse['cadences'][number]) => number | null): Sample[] =>
    pulse.cadences.map((each) => [{ every: each.every, zone: each.zone }, figure(each)]);
  const counts = STATES.map((state): Sample => [{ state }, states.get(state)?.length ?? 0]);
  const ailing = failingRulesIn(status).map(
    ({ rule, ails }): Sample => [{ rule: rule.id, app: rule.app, health: ails }, 1],
  );
  const unreadable = status.unread.length + unreadIn(status).length;
  const late = ofRuns(({ state }) => Number(state === 'late'));
  const ranAt = ofRuns(({ lastAt }) => inSeconds(lastAt));
  const newestAt = ofApps((app) => inSeconds(app.newestAt));
  const stopped = ofApps(({ stoppedSinceAt }) => Number(stoppedSinceAt !== null));
  const calls = ofApps((app) => (Number.isFinite(app.calls) ? app.calls : null));
  return [
    gauge('alerts', 'Alerts by state.', counts),
    gauge('alert', `1 for each alert, up to ${MOST_ALERTS}.`, listed.slice(0, MOST_ALERTS).map(ofAlert)),
    gauge('rules', 'Deployed rules.', [[{}, status.rules.length]]),
    gauge('rule_failing', '1 for each rule that cannot be evaluated.', ailing),
    gauge('unreadable_items', 'Stored rules and alerts that cannot be read.', [[{}, unreadable]]),
    gauge('alerts_due', 'Alerts whose notifications are due and not sent.', [[{}, due]]),
    gauge('run_late', '1 if a run is overdue.', late),
    gauge('last_run_timestamp_seconds', 'Scheduled time of the last run.', ranAt),
    gauge('newest_event_timestamp_seconds', 'Time of the newest event seen.', newestAt),
    gauge('app_stopped', '1 while the alert for missing data fires.', stopped),
    gauge('calls_this_hour', 'Calls made for an app.', calls),
    gauge('calls_per_hour_limit', 'The call budget of an app.', [[{}, callsPerHour ?? null]]),
  ].join('');
}

/** A flapping alert may have calmed down. */
const stateOf = ({ alert: { state } }: Listed) => STATES.find((each) => each === state) ?? 'flapping';

function ofAlert(listed: Listed): Sample {
  const { alert, rule } = listed;
  const about = { rule: alert.ruleId, app: rule?.app ?? '', severity: rule?.severity ?? 'critical' };
  return [{ ...about, segment: alert.segment ?? '', state: stateOf(listed) }, 1];
}

const inSeconds = (at: number | null): number | null => at && at / 1000;

function gauge(name: string, help: string, samples: Sample[]): string {
  const whole = `deltawatch_${name}`;
  const lines = samples.flatMap(([labels, value]) => {
    if (value === null) return [];
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${whole}${pairs.length > 0 ? `{${pairs.join()}}` : ''} ${value}\n`;
  });
  return `# HELP ${whole} ${help}\n# TYPE ${whole} gauge\n${lines.join('')}`;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
