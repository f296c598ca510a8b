import type { Window } from '../../shared/alerting/time/window.ts';
import type { About } from './incident-scope.ts';

/** A span of the past in which something is known to have been wrong, and what it touched. */
export interface Label extends Window {
  title: string;
  about: About;
}
