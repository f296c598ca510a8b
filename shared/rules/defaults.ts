import type { Grain } from '../time/window.ts';

/** Segments with a smaller baseline are not tested: they would reduce the power of the test for the others. */
export const MINIMUM_OF_SEGMENTS = 20;

/** A segment with fewer sessions is not compared with others: one unlucky user would make a difference. */
export const MINIMUM_BETWEEN_SEGMENTS = 100;

/** An hourly rule evaluates 24 windows a day. At 0.99 it would find 7 of them a month by chance. */
export const CONFIDENCE = 0.99;
export const CONFIDENCE_OF_HOURS = 0.995;

/** The least rate by default. With less `confidence` the rate rises, or else that key would have no effect. */
export const FALSE_DISCOVERY_RATE = 0.05;

/** Most late uploads arrive within hours. A window is evaluated again after this time. */
export const RESTATE_MINUTES: Record<Grain, number> = { hour: 360, day: 2880, week: 2880, month: 2880 };

/** The most segments requested for one event. The service sums the rest. */
export const MAX_SEGMENTS = 100;
