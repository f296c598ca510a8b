import * as z from 'zod';
import { lineOf } from './author.ts';

/** A thing that happened, such as a release. Charts mark it. */
export interface Note {
  id: string;
  text: string;
  /** The app that it concerns; `null` for all apps. */
  app: string | null;
  /** When it happened, in epoch milliseconds. */
  at: number;
  by: string;
}

const MOST_TEXT = 200;

/** How long notes are kept after they happened: charts show up to 2 years, but most of them weeks. */
export const NOTE_KEPT_DAYS = 400;

/** One line of text. */
export const noteTextSchema = lineOf(MOST_TEXT).pipe(z.string().min(1));
