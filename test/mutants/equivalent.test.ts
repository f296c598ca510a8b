import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { collapsed } from './change.ts';
import { EQUIVALENT } from './equivalent.ts';

test.each(EQUIVALENT)(
  '$file still has the line of an equivalent mutant: $from',
  ({ file, from, to, why }) => {
    expect(collapsed(readFileSync(file, 'utf8'))).toContain(from);
    expect(to).not.toBe(from);
    expect(why).not.toBe('');
  },
);
