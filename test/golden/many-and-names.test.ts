import { describe } from 'vitest';
import { lifeOf, QUIET } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { fell, found, pendingFor, purchases, sales, shopRule } from './situations.ts';

describe('the message of several alerts', () => {
  const countries = Array.from({ length: 40 }, (_, i) => `Country ${i + 1}`);
  const rule = shopRule({ title: 'Purchases, by country', group_by: 'device_country' });
  const many = countries.map((segment, i) =>
    pendingFor(rule, 'fired', found(rule, { current: 500 - 10 * i, baseline: 1000 }), { segment }),
  );
  golden('digest of 40', many);
  const titles = ['Items viewed', 'Items added to the cart', 'Checkouts started', 'Purchases'];
  const counts = titles.map((title, i) =>
    shopRule({ id: `count-${i}`, title, severity: i === 3 ? 'critical' : 'warning' }),
  );
  const together = (transition: 'fired' | 'recovered', current: number) =>
    counts.map((each, i) =>
      pendingFor(each, transition, found(each, { current: current + 10 * i, baseline: 1000 })),
    );
  golden('fired together', together('fired', 120));
  golden('recovered together', together('recovered', 980));
  golden('one fired and one recovered', [
    lifeOf(sales())
      .days([...QUIET, 300, 310, 990, 1010])
      .pending(),
    pendingFor(purchases, 'fired', fell),
  ]);
});

describe('the message with a title or segment', () => {
  const about = (title: string, segment: string | null = null) => {
    const rule = shopRule({ title, ...(segment !== null && { group_by: 'event_screen_name' }) });
    return [pendingFor(rule, 'fired', found(rule, { current: 590, baseline: 1000 }), { segment })];
  };
  golden('title with a verb', about('Checkout broke!'));
  golden('meaningless title', about('A'));
  golden('long name', about('Purchases', `Checkout ${'of the whole family '.repeat(12)}end`));
  golden('right to left', about('Purchases', 'עגלת קניות'));
  golden('direction override', about('\u202eesahcruP', 'Check\u202eout'));
  golden('emoji', about('🛒 Purchases 🇩🇪', '👩‍👩‍👧 Family'));
  golden('markup', about('<b>Purchases</b> & *more* `x`', '<!channel> <https://evil.example|Click> &amp;'));
});
