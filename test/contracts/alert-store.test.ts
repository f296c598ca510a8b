import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alert, Health } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { openAlert } from '../../shared/alerts/open-alert.ts';
import { pastIncidents } from '../../shared/alerts/past-incidents.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { inMemoryAlertStore } from '../../shared/store/in-memory/stores.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { changeIfPossible, onBothStores } from './both-stores.ts';
import { aFiringAlert, aNewAlert, anEvaluation, aQuietAlert, NOW } from './samples.ts';

function alertStoreContract(store: () => AlertStore) {
  test.each([
    ['new', aNewAlert()],
    ['quiet', aQuietAlert()],
    ['firing', aFiringAlert()],
    ['with an empty segment', aQuietAlert({ segment: '' })],
    ['with a segment longer than a key', aQuietAlert({ segment: 'ß'.repeat(2000) })],
  ])('load returns an alert as saved: %s', async (_name, alert) => {
    const saved = await store().save(alert);
    expect(saved).toEqual({ ...alert, revision: 1 });
    expect(await store().load([alert])).toEqual([saved]);
  });

  test('load returns figures of any size exactly', async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));
    await fc.assert(
      fc.asyncProperty(fc.uuid(), finite, finite, async (ruleId, p, value) => {
        const significance = { z: value, p, clustering: 1, tau: p, pairs: 8, exactP: null, family: null };
        const alert = aQuietAlert({ ruleId, last: anEvaluation({ significance }) });
        await store().save(alert);
        expect(await store().load([alert])).toEqual([{ ...alert, revision: 1 }]);
      }),
      { numRuns: 30 },
    );
  });

  test('loadOfRule returns the alert of the rule and of each segment', async () => {
    for (const segment of [null, '', 'RULE', 'ios']) await store().save(aQuietAlert({ segment }));
    await store().save(aQuietAlert({ ruleId: 'checkout-errors-2' }));
    const segments = (await store().loadOfRule('checkout-errors')).map((alert) => alert.segment);
    expect(new Set(segments)).toEqual(new Set([null, '', 'RULE', 'ios']));
  });

  test('save rejects a revision other than the stored one', async () => {
    const first = await store().save(aQuietAlert());
    const second = await store().save({ ...first, state: 'pending' });
    for (const stale of [aQuietAlert(), first, { ...first, revision: 3 }])
      await expect(store().save(stale)).rejects.toThrow(ConflictError);
    expect(await store().load([first])).toEqual([second]);
  });

  test('save rejects a revision of an alert that is not stored', async () => {
    await expect(store().save(aQuietAlert({ revision: 1 }))).rejects.toThrow(ConflictError);
    expect(await store().load([aQuietAlert()])).toEqual([]);
  });

  test.each([0, 1])('only one of five concurrent saves from revision %i succeeds', async (revision) => {
    if (revision > 0) await store().save(aQuietAlert());
    const saves = [1, 2, 3, 4, 5].map((n) => store().save(aQuietAlert({ revision, stateSinceAt: n })));
    const outcomes = await Promise.allSettled(saves);
    const winner = outcomes.find((outcome) => outcome.status === 'fulfilled');
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(errors).toEqual(Array(4).fill(expect.any(ConflictError)));
    expect(await store().load([aQuietAlert()])).toEqual([winner?.value]);
  });

  test('load accepts many keys, repeated keys and unknown keys', async () => {
    const alerts = Array.from({ length: 230 }, (_, i) => aQuietAlert({ segment: `s${i}` }));
    await Promise.all(alerts.map((alert) => store().save(alert)));
    const missing = aQuietAlert({ ruleId: 'never-saved' });
    const loaded = await store().load([...alerts, missing, ...alerts.slice(0, 30)]);
    expect(loaded).toHaveLength(230);
    expect(new Set(loaded.map((alert) => alert.segment))).toEqual(new Set(alerts.map((a) => a.segment)));
    expect(await store().load([])).toEqual([]);
  });

  test('loadPending returns alerts that are due, earliest first', async () => {
    for (const [segment, pendingAt] of Object.entries({ c: 900, a: 5, d: 1001, b: 70 }))
      await store().save(aFiringAlert({ segment, pendingAt }));
    await store().save(aQuietAlert());
    const due = async (at: number) => (await store().loadPending(at)).map((alert) => alert.segment);
    expect(await due(1000)).toEqual(['a', 'b', 'c']);
    expect(await due(5)).toEqual(['a']);
    expect(await due(4)).toEqual([]);
  });

  test('loadPending skips alerts without pending notifications and postponed ones', async () => {
    const delivered = await store().save(aFiringAlert({ segment: 'delivered' }));
    const later = await store().save(aFiringAlert({ segment: 'later' }));
    await store().save({ ...delivered, pending: {}, pendingAt: null });
    const saved = await store().save({ ...later, pendingAt: NOW + 1 });
    expect(await store().loadPending(NOW)).toEqual([]);
    expect(await store().loadPending(NOW + 1)).toEqual([saved]);
  });

  test.each<[string, Partial<Alert>]>([
    ['is pending', { state: 'pending' }],
    ['is firing', { state: 'firing' }],
    ['is recovering', { state: 'recovering' }],
    ['is flapping', { flappingSinceAt: NOW }],
    ['has no data', { noData: { sinceAt: NOW, windows: 3, notified: true } }],
    ['matches no events', { unmatched: { sinceAt: NOW, windows: 7, isNew: true, notified: true } }],
    ['cannot be evaluated', { health: brokenSince(NOW) }],
    ['is acknowledged', { acknowledged: { by: 'Anna', at: NOW, reason: '' } }],
    ['is snoozed', { snoozed: { by: 'Anna', at: NOW, reason: '', untilAt: null } }],
  ])('loadOpen returns an alert that %s, until it is quiet', async (_, state) => {
    await store().save(aQuietAlert({ segment: 'quiet' }));
    const noData = { sinceAt: NOW, windows: 1, notified: false };
    await store().save(aQuietAlert({ segment: 'no data yet', noData, pendingAt: NOW }));
    const open = await store().save(aQuietAlert({ ruleId: 'app:shop', ...state }));
    expect(await store().loadOpen()).toEqual([openAlert(open)]);
    await store().save(aQuietAlert({ ruleId: 'app:shop', revision: 1 }));
    expect(await store().loadOpen()).toEqual([]);
  });

  test('loadIncidents returns open alerts, and alerts at rest with an incident of the last 90 days', async () => {
    const { endAt } = anEvaluation().current.window;
    const daysAgo = (days: number) => ({
      startAt: endAt - (days + 1) * DAY_MS,
      endAt: endAt - days * DAY_MS,
    });
    const saved = (ruleId: string, state: Partial<Alert>) => store().save(aQuietAlert({ ruleId, ...state }));
    const open = await saved('open', { state: 'firing', incidents: [daysAgo(0)] });
    const pending = await saved('pending', { state: 'pending' });
    const ended = await saved('ended', { incidents: [daysAgo(200), daysAgo(89)], segment: 'de' });
    const level = { levelSinceAt: endAt - 99 * DAY_MS, levelAcceptedAt: endAt - 80 * DAY_MS };
    const accepted = await saved('accepted', { ...level, stateSinceAt: endAt - 80 * DAY_MS });
    await saved('old', { incidents: [daysAgo(90)], stateSinceAt: endAt - 90 * DAY_MS });
    await saved('quiet', {});
    const byId = (a: { ruleId: string }, b: { ruleId: string }) => (a.ruleId < b.ruleId ? -1 : 1);
    const expected = [open, pending, ended, accepted].map(pastIncidents).toSorted(byId);
    expect((await store().loadIncidents()).toSorted(byId)).toEqual(expected);
    expect((await store().loadOpen()).map(({ ruleId }) => ruleId).toSorted()).toEqual(['open', 'pending']);
  });

  test('changes of saved or loaded alerts do not change the store', async () => {
    const alert = aQuietAlert();
    const saved = await store().save(alert);
    const [loaded] = await store().load([alert]);
    for (const each of [alert, saved, loaded])
      changeIfPossible(() => each?.recent.push({ endAt: NOW, verdict: 'breached' }));
    expect(await store().load([alert])).toEqual([{ ...aQuietAlert(), revision: 1 }]);
  });
}

function brokenSince(since: number): Health {
  return {
    kind: 'broken',
    since,
    through: since,
    reason: { code: 'read-failed', error: 'the service is silent' },
    notified: true,
    streak: 5,
  };
}

describe('AlertStore', () => {
  onBothStores({ inMemory: inMemoryAlertStore, inTable: alertStoreIn }, alertStoreContract);
});
