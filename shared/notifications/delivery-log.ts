/** One attempt to send one message, shown on the page. */
export interface Delivery {
  at: number;
  channel: string;
  route: string;
  title: string;
  /** Number of alerts in the message, and the keys of the first ones (20 at most). */
  alerts: number;
  keys: string[];
  outcome:
    | { kind: 'sent' }
    | { kind: 'kept'; reason: string }
    | { kind: 'failed'; reason: string; permanent: boolean };
}

export interface DeliveryLog {
  save(delivery: Delivery): Promise<void>;
  /** The newest first; kept for 30 days. */
  loadLast(count: number): Promise<Delivery[]>;
}
