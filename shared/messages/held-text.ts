import type { HeldBy } from '../notifications/pending.ts';
import { momentText } from './figure-text.ts';

/** "until Tue 3 Mar 2026, 08:00 (Europe/Berlin) by the calendar "nights"". */
export function heldText({ by, name, untilAt, zone }: HeldBy): string {
  const until = momentText(untilAt, zone);
  switch (by) {
    case 'calendar':
      return `until ${until} by the calendar "${name}"`;
    case 'silence':
      return `until ${until} by a silence of ${name}`;
    case 'snooze':
      return `until ${until} by a snooze of ${name}`;
  }
}
