/** The progress of the local system: catching up on past windows, or live. */
export type Progress =
  | { phase: 'live' }
  | {
      phase: 'catching-up';
      /** The current step, such as "Checking the last 14 days". */
      step: string;
      done: number;
      total: number;
      note?: string;
    };

/** Receives the progress of a step. */
export type ShowProgress = (step: string, done: number, total: number) => void;
