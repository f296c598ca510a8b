import type { HealthReason, Reason } from '../evaluation/reason.ts';
import { counted } from '../text/counted.ts';
import { spanText } from './figure-text.ts';
import { momentText } from './time-text.ts';

export interface ReasonContext {
  zone: string;
  /** The name of a window: "hour", "day"; `undefined` if the rule is unknown. */
  window?: string | undefined;
  verdict?: string;
}

export function reasonText(reason: Reason, context: ReasonContext): string {
  const { zone, window = 'window', verdict = '' } = context;
  switch (reason.code) {
    case 'evaluation':
      return verdict;
    case 'not-confirmed':
      return `with late data, it would not have fired: ${verdict}`;
    case 'recovered':
      return `back to the level before ${momentText(reason.beforeAt, zone)}`;
    case 'segment-gone':
      return 'the segment sends little or no data any more';
    case 'segment-unlisted':
      return 'the segment is no longer among those that are queried';
    case 'above-zero':
      return 'above 0 again; the level from before the outage is no longer known';
    case 'level-lasted':
      return `it has lasted for ${counted(reason.windows, window)}, so this level is the new baseline`;
    case 'flapping': {
      const { changes, windows, quietFor } = reason;
      return `it started or stopped firing ${changes} times in ${counted(windows, window)}; you will be notified after ${counted(quietFor, window)} without a change, or when it fires for longer than at any time while it was flapping`;
    }
    case 'flapping-ended': {
      const state = reason.isFiring ? 'firing' : 'normal';
      return `it has been ${state} for ${counted(reason.windows, window)}`;
    }
    case 'fires-for-longer':
      return 'it has now been firing for longer than at any time while it was flapping';
    case 'no-data':
      return `no data for ${counted(reason.windows, window)}${reason.windows > 1 ? ' in a row' : ''}, since ${momentText(reason.sinceAt, zone)}`;
    case 'data-back':
      return 'data has arrived again';
    case 'evaluated-again':
      return 'the rule is evaluated again';
    case 'rule-changed':
      return `the rule was changed while the alert was ${reason.was}; the alert starts over, which does not mean that the problem is over`;
    case 'rule-removed':
      return 'the rule was removed';
    case 'app-stopped': {
      const { app, newestDataAt, overdueBeforeAt, usualMs } = reason;
      const since =
        newestDataAt === null
          ? `before ${momentText(overdueBeforeAt, zone)}`
          : momentText(newestDataAt, zone);
      const usual = usualMs === undefined ? '' : `; it is usually silent for at most ${spanText(usualMs)}`;
      return `no data from ${app} since ${since}${usual}`;
    }
    case 'app-resumed':
      return `data from ${reason.app} is back; the newest is from ${momentText(reason.newestDataAt, zone)}`;
    case 'app-without-rules':
      return `${reason.app} has no rules left`;
    case 'never-a-value':
      return `none of the ${reason.windows} ${reason.grain}s evaluated since the rule was deployed has a value above 0`;
    case 'never-a-segment':
      return `none of the ${reason.windows} ${reason.grain}s evaluated since the rule was deployed has any ${reason.attribute}`;
    case 'app-never-sent':
      return `no data from ${reason.app} since the rule was deployed, nor in the ${reason.days} days before; check "app"`;
    case 'acknowledged':
      return `acknowledged ${byText(reason)}`;
    case 'snoozed':
      return `snoozed until ${reason.untilAt === null ? 'it recovers' : momentText(reason.untilAt, zone)}, ${byText(reason)}`;
    case 'level-accepted':
      return `new level accepted ${byText(reason)}`;
    case 'marked-as-holiday':
      return `marked as a holiday ${byText(reason)}`;
    default:
      return healthText(reason, zone);
  }
}

function byText({ by, note }: { by: string; note: string }): string {
  return `by ${by}${note === '' ? '' : `: ${note}`}`;
}

export function healthText(reason: HealthReason, zone: string): string {
  switch (reason.code) {
    case 'app-sent-nothing':
      return 'the app has sent no data';
    case 'data-late':
      return `the app has no data past ${momentText(reason.neededAt, zone)}; the newest is from ${momentText(reason.newestDataAt, zone)}`;
    case 'read-failed':
    case 'calls-spent':
      return reason.error;
    case 'out-of-time':
      return 'the run ran out of time for queries; the next run continues where it stopped';
    case 'alert-unsaved':
      return `an alert of the rule cannot be saved: ${reason.error}`;
    case 'alert-unreadable': {
      const more = reason.others > 0 ? `, and ${reason.others} more` : '';
      return `an alert of the rule cannot be read: ${reason.error}${more}`;
    }
  }
}
