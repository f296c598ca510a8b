import { beforeEach, describe, expect, it } from 'vitest';
import { KEY_BYTES, mintKey } from '../../../shared/access/api-key.ts';
import type { AuditEntry } from '../../../shared/alerts/audit.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { anAuditEntry as sample } from '../../contracts/samples.ts';
import { clientOf } from './api/client.ts';
import { type Desk, NOW, openDesk, URL_ROOT } from './desk.ts';
import { HOSTILE } from './page/scene.ts';

const anAuditEntry = (about: Parameters<typeof sample>[0]) => sample({ at: NOW, ...about });

let desk: Desk;
let Cookie: string;
let token: string;
beforeEach(async () => {
  desk = await openDesk();
  Cookie = `__Host-session=${await desk.sign('session', { by: 'Anna' })}`;
  const { text, key } = mintKey(new Uint8Array(KEY_BYTES), { apps: [], scope: 'answer', name: 'robot' });
  await desk.keys.create(key);
  token = text;
});

const entries = async (): Promise<Partial<AuditEntry>[]> =>
  (await desk.audit.load({ atMost: 100 })).map(({ id: _, ...entry }) => entry);
const submit = (path: string, form: Record<string, string>) => desk.post(path, form, { Cookie });
const call = (...args: Parameters<ReturnType<typeof clientOf>>) =>
  clientOf((path, init) => desk.app.request(`${URL_ROOT}${path}`, init))(...args);
const show = async (query = '') => (await desk.request(`/audit${query}`, { headers: { Cookie } })).text();

describe('what people do is in the audit log', () => {
  it('an answer on the page', async () => {
    await submit('/alerts/answer', { rule: 'sales', answer: 'snooze-1h', reason: 'on it' });
    expect(await entries()).toEqual([
      {
        ...{ at: NOW, by: 'Anna', how: 'page', kind: 'answered', on: 'sales', segment: null },
        ...{ app: 'demo', detail: 'snooze-1h', reason: 'on it' },
      },
    ]);
  });

  it('an answer by a link, once', async () => {
    const path = await desk.linkTo('acknowledge');
    for (const by of ['Ben', 'Cleo']) await desk.post(path, { by });
    expect(await entries()).toMatchObject([{ by: 'Ben', how: 'link', detail: 'acknowledge' }]);
  });

  it('an answer, a silence and a note of a program', async () => {
    const { body } = await call('listAlerts', { token });
    await call('answerAlert', { token, id: body.data[0]?.id, body: { answer: 'incident' } });
    await call('addSilence', { token, body: { app: 'demo', segment: 'DE', hours: 2, reason: 'a move' } });
    await call('addNote', { token, body: { text: 'release 8' } });
    expect((await entries()).toSorted((a, b) => ((a.kind ?? '') < (b.kind ?? '') ? -1 : 1))).toMatchObject([
      { by: 'robot', how: 'api', kind: 'answered', on: 'sales', detail: 'incident' },
      { by: 'robot', how: 'api', kind: 'note-added', app: null, detail: 'release 8' },
      {
        by: 'robot',
        how: 'api',
        kind: 'silence-added',
        app: 'demo',
        detail: 'app=demo segment=DE',
        reason: 'a move',
      },
    ]);
  });

  it('a silence on the page, and its end', async () => {
    await submit('/silences', { rule: 'sales*', hours: '4', reason: 'a move' });
    const [{ id } = { id: '' }] = await desk.silences.loadAll();
    desk.clock.advanceTo(NOW + HOUR_MS);
    await submit('/silences/expire', { id });
    await submit('/silences/expire', { id });
    expect(await entries()).toMatchObject([
      { at: NOW + HOUR_MS, by: 'Anna', how: 'page', kind: 'silence-ended', on: id, detail: 'rule=sales*' },
      { at: NOW, by: 'Anna', how: 'page', kind: 'silence-added', on: id, app: null, reason: 'a move' },
    ]);
  });

  it('a note on the page, at the time it was added', async () => {
    await submit('/notes', { text: 'release 7.22', app: 'demo', minutes_ago: '40', back: '/rules/sales' });
    expect(await entries()).toMatchObject([
      { at: NOW, by: 'Anna', how: 'page', kind: 'note-added', app: 'demo', detail: 'release 7.22' },
    ]);
  });

  it('nothing that was refused', async () => {
    await submit('/alerts/answer', { rule: 'gone', answer: 'acknowledge' });
    await submit('/silences', { hours: '4' });
    await submit('/notes', { text: ' ', app: 'demo', minutes_ago: '0', back: '/rules/sales' });
    expect(await entries()).toEqual([]);
  });
});

describe('the page of the audit log', () => {
  it('shows who did what, newest first, and escapes it', async () => {
    await desk.audit.save(anAuditEntry({ by: 'Ben', on: 'views', segment: HOSTILE, at: NOW - HOUR_MS }));
    await desk.audit.save(anAuditEntry({ kind: 'note-added', detail: HOSTILE, by: HOSTILE, app: null }));
    const html = await show();
    expect(html.indexOf('">note added<')).toBeLessThan(html.indexOf('">answered<'));
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('acknowledge');
    expect(html).toContain('<q>on it</q>');
  });

  it('filters, and has pages', async () => {
    for (let i = 0; i < 70; i += 1)
      await desk.audit.save(anAuditEntry({ at: NOW - i, on: `rule-${i}`, by: i % 2 ? 'Ben' : 'Cleo' }));
    expect(await show()).toContain('Page 1 of 2, 70 total');
    expect(await show('?page=2')).toContain('rule-69');
    const ofBen = await show('?by=Ben');
    expect(ofBen).toContain('rule-69');
    expect(ofBen).not.toContain('rule-68');
    expect(await show('?kind=rules-deployed')).toContain('Nothing matches the filters');
  });

  it('is linked from the health page', async () => {
    const health = await desk.request('/health', { headers: { Cookie } });
    expect(await health.text()).toContain('href="/audit"');
  });
});

describe('the audit log for programs', () => {
  const listed = async (query: Record<string, unknown> = {}) =>
    (await call('listAudit', { token, ...query })).body as unknown as {
      data: { on: string; at: string }[];
      nextCursor: string | null;
    };

  it('has all entries on pages, each once', async () => {
    for (let i = 0; i < 7; i += 1) await desk.audit.save(anAuditEntry({ at: NOW - i, on: `${i}` }));
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listed({ limit: 3, ...(cursor && { cursor }) });
      found.push(...page.data.map(({ on }) => on));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it.each([
    [{ by: 'Ben' }, ['ben']],
    [{ app: 'web' }, ['web']],
    [{ kind: 'rules-deployed' }, ['v1']],
    [{ from: new Date(NOW).toISOString() }, ['ben']],
    [{ by: 'nobody' }, []],
  ])('filters by %j', async (query, expected) => {
    await desk.audit.save(anAuditEntry({ by: 'Ben', on: 'ben' }));
    await desk.audit.save(anAuditEntry({ app: 'web', on: 'web', at: NOW - 1 }));
    await desk.audit.save(anAuditEntry({ kind: 'rules-deployed', app: null, on: 'v1', at: NOW - 2 }));
    expect((await listed(query)).data.map(({ on }) => on)).toEqual(expected);
  });

  it('finds an entry behind more than one request looks at', async () => {
    await desk.audit.save(anAuditEntry({ by: 'Ben', on: 'old', at: NOW - 5000 }));
    for (let i = 0; i < 1000; i += 1) await desk.audit.save(anAuditEntry({ at: NOW - i }));
    const first = await listed({ by: 'Ben' });
    expect(first.data).toEqual([]);
    const second = await listed({ by: 'Ben', cursor: first.nextCursor });
    expect(second.data.map(({ on }) => on)).toEqual(['old']);
    expect(second.nextCursor).toBeNull();
  });
});
