import { expect, test } from 'vitest';
import { nearestWords } from '../../../shared/text/nearest-words.ts';

const KNOWN = ['window', 'sessions', 'event_sessions', 'device_country', 'device_city', 'in', 'on'];

test.each<{ word: string; near: string[] }>([
  { word: 'windw', near: ['window'] },
  { word: 'Sesions', near: ['sessions'] },
  { word: 'country', near: ['device_country'] },
  { word: 'device', near: ['device_country', 'device_city'] },
  { word: 'is', near: ['in'] },
  { word: 'nothing-like-it', near: [] },
  { word: '', near: [] },
])('"$word" is near $near', ({ word, near }) => {
  expect(nearestWords(word, KNOWN)).toEqual(near);
});
