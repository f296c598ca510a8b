/** How far the local system is: still going through the past, or keeping time with the clock. */
export type Progress =
  | { phase: 'live' }
  | {
      phase: 'catching-up';
      /** What is being done, as a sentence begins: "Checking the last 14 days". */
      step: string;
      done: number;
      total: number;
      note?: string;
    };

/** Told how far a step is. */
export type ShowProgress = (step: string, done: number, total: number) => void;
