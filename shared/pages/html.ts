import type { html } from 'hono/html';

/** Escaped markup that can be nested in other markup. */
export type Html = ReturnType<typeof html>;

/** The title and body of a page, without its frame. */
export interface View {
  title: string;
  body: Html;
  /** 200 by default. */
  status?: 404;
  /** Seconds until the page reloads. */
  refreshSeconds?: number;
}
