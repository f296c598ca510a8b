import type { html } from 'hono/html';

/** Markup whose inserted values are escaped; nests in other markup as it is. */
export type Html = ReturnType<typeof html>;

/** One page without its frame. */
export interface View {
  title: string;
  body: Html;
  /** Seconds until the page looks again by itself. */
  refreshSeconds?: number;
}
