import * as z from 'zod';

export const deliverySchema = z.object({
  at: z.number(),
  channel: z.string(),
  route: z.string(),
  title: z.string(),
  /** Number of alerts in the message, and the keys of the first ones (20 at most). */
  alerts: z.number(),
  keys: z.array(z.string()),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sent') }),
    z.object({ kind: z.literal('kept'), reason: z.string() }),
    z.object({ kind: z.literal('failed'), reason: z.string(), permanent: z.boolean() }),
  ]),
});
/** One attempt to send one message, shown on the page. */
export type Delivery = z.infer<typeof deliverySchema>;

export interface DeliveryLog {
  save(delivery: Delivery): Promise<void>;
  /** The newest first; kept for 30 days. */
  loadLast(count: number): Promise<Delivery[]>;
}
