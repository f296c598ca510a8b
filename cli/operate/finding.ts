/** A finding of `deltawatch doctor`. */
export interface Check {
  name: string;
  /** `note`: worth knowing, and no fault. */
  state: 'ok' | 'note' | 'failed';
  found: string;
  /** What to do; `null` if nothing. */
  advice: string | null;
}

export type Finding = Omit<Check, 'name'>;

export const ok = (found: string): Finding => ({ state: 'ok', found, advice: null });
export const failed = (found: string, advice: string | null): Finding => ({ state: 'failed', found, advice });

export const deployAdvice = (stage: string): string => `Deploy it: npx deltawatch deploy ${stage}`;
