/** A mutant that nobody could notice, and why: its file, its lines and what they become, white space collapsed. */
export interface Equivalent {
  file: string;
  from: string;
  to: string;
  why: string;
}

export const EQUIVALENT: Equivalent[] = [];
