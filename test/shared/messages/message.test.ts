import { expect, it } from 'vitest';
import { messageOf } from '../../../shared/messages/message.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { anItem } from '../../fixtures/messages.ts';

const at = MONDAY + HOUR_MS;

it('puts the most important alert first, with its news in order', () => {
  const message = messageOf([
    anItem({ ruleId: 'sales', key: 'fired', transition: 'fired', headline: 'Sales down 60%', at, turn: 1 }),
    anItem({ ruleId: 'views', key: 'views', transition: 'fired', at, turn: 0 }),
    anItem({ ruleId: 'sales', key: 'restarted', transition: 'restarted', at, turn: 0 }),
    anItem({ ruleId: 'sales', key: 'older', transition: 'recovered', at: MONDAY, turn: 2 }),
    anItem({ ruleId: 'sales', segment: 'Malta', key: 'Malta', transition: 'recovered', at, turn: 0 }),
  ]);
  expect(message.items.map(({ key }) => key)).toEqual(['older', 'restarted', 'fired', 'views', 'Malta']);
  expect(message.title).toBe('Sales down 60%, and 4 more');
});
