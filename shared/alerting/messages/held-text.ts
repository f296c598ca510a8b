import type { HeldBy } from '../notifications/pending.ts';
import { momentText } from './figure-text.ts';

/** "by the calendar nights until Tue 3 Mar 2026, 08:00 (Europe/Berlin)". */
export function heldText({ by, name, untilAt, zone }: HeldBy): string {
  const until = momentText(untilAt, zone);
  switch (by) {
    case 'calendar':
      return `by the calendar ${name} until ${until}`;
    case 'silence':
      return `by a silence of ${name} until ${until}`;
    case 'snooze':
      return `by a snooze of ${name} until ${until}`;
  }
}
