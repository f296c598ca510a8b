import { test } from 'vitest';
import { tellsTheSameInEverySpan } from '../local/data/demo/spans-of-demo.ts';

test('the demo generates the same sessions in each of 100 spans', () => tellsTheSameInEverySpan(100));
