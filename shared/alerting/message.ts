import type { Transition } from './alert.ts';
import type { Severity } from './rule.ts';

/** One alert's part of a message: sentences for people, in the order in which they are read. */
export interface MessageItem {
  ruleId: string;
  segment: string | null;
  transition: Transition;
  severity: Severity;
  /** What moved and by how much, in one line. */
  headline: string;
  /** Label and text, most important first. */
  facts: { label: string; text: string }[];
  /** A link or a sentence: what to do. */
  runbook: string | null;
}

/** What one channel is sent at once: one alert, or a digest of several. Knows nothing of any channel's format. */
export interface Message {
  /** Stands alone where nothing else is shown, such as in a notification. */
  text: string;
  title: string;
  severity: Severity;
  /** The largest first. */
  items: MessageItem[];
  /** How many more there are beyond `items`. */
  more: number;
}
