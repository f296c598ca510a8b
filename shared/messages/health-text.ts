import type { HealthReason } from '../evaluation/reason.ts';
import type { MomentText } from './gate-text.ts';

/** Why a rule cannot be evaluated. */
export function healthText(reason: HealthReason, at: MomentText): string {
  switch (reason.code) {
    case 'app-sent-nothing':
      return 'the app has sent no data';
    case 'data-late':
      return `the app has no data past ${at(reason.neededAt)}; the newest is from ${at(reason.newestDataAt)}`;
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
