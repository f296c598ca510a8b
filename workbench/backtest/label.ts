import type { Window } from '../../shared/time/window.ts';
import type { About } from './incident-scope.ts';

/** A known incident: when it was, and what it affected. */
export interface Label extends Window {
  title: string;
  about: About;
}
