import { beforeEach, describe, expect, test } from 'vitest';
import { TOKEN_LIMIT } from '../../../../functions/respond/api/api.ts';
import { alertKeyOf } from '../../../../functions/respond/api/records.ts';
import { alertRecordSchema } from '../../../../functions/respond/api/schemas.ts';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import { publishedAlertSchema } from '../../../../shared/channels/published-alert.ts';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { inMemoryStores } from '../../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, MONDAY } from '../../../fixtures/builders.ts';
import { firing, NOW, URL_ROOT } from '../desk.ts';
import { HOSTILE } from '../page/scene.ts';
import { openService, PARTS, QUIET, sqlite } from './alerts-desk.ts';
import { document, OPERATIONS, takes } from './client.ts';

type Service = Awaited<ReturnType<typeof openService>>;

describe.each([
  ['in memory', inMemoryStores],
  ['in SQLite', sqlite],
])('the interface of alerts over stores %s', (_, stores) => {
  let service: Service;
  beforeEach(async () => {
    service = await openService(stores());
  });

  test('lists open alerts with the figures of their last windows', async () => {
    const { body } = await service.call('listAlerts', { token: service.read });
    expect(body.data).toHaveLength(3);
    expect(body).toMatchObject({ nextCursor: null, unreadable: [] });
    expect(body.data[2]).toMatchObject({
      ...{ ruleId: 'sales', segment: null, title: 'Sales', app: 'demo', owner: 'shop', severity: 'warning' },
      ...{ state: 'firing', flapping: false, since: '2026-03-02T00:00:00.000Z' },
      firedAt: '2026-03-03T00:00:00.000Z',
      figures: { current: 40, baseline: 100, difference: -60, change: -0.6, unit: 'events' },
      window: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
      ...{ acknowledged: null, quiet: null },
      links: { open: `${URL_ROOT}/alerts/sales` },
    });
  });

  test.each([
    [{}, ['Parts: Malta', 'Parts: Peru', 'Sales']],
    [{ app: 'web' }, ['Parts: Malta', 'Parts: Peru']],
    [{ q: 'peru parts' }, ['Parts: Peru']],
    [{ severity: 'warning', owner: 'shop' }, ['Sales']],
    [{ state: 'pending' }, []],
    [{ ack: 'no', app: '' }, ['Parts: Malta', 'Parts: Peru', 'Sales']],
    [{ ack: 'yes' }, []],
  ])('lists by the filters %j', async (query, titles) => {
    expect(await service.listed(query)).toEqual(titles);
  });

  test('shows one alert with its gates and history', async () => {
    const { call, read, idOf } = service;
    const { body } = await call('getAlert', { token: read, id: await idOf('Sales') });
    expect(body).toMatchObject({
      ...{ title: 'Sales', verdict: { verdict: 'breached' } },
      gates: [
        { gate: 'threshold', code: 'outside-bounds', passed: true, text: expect.stringContaining('60') },
      ],
      sent: [{ transition: 'fired', channel: 'team', at: new Date(NOW).toISOString() }],
      incidents: [{ start: '2026-03-02T00:00:00.000Z', end: null }],
    });
    expect(body.mayAnswer).toContain('acknowledge');
  });

  test('lists rules with their health', async () => {
    const reason = { code: 'read-failed', error: 'the service was silent' } as const;
    const streak = { since: MONDAY, through: NOW, reason, notified: false, streak: 3 };
    const [{ revision } = { revision: 0 }] = await service.alerts.load([{ ruleId: 'quiet', segment: null }]);
    await service.alerts.save(alertOf(QUIET, { revision, health: { kind: 'failing', ...streak } }));
    const { body } = await service.call('listRules', { token: service.read });
    expect(body.data.map(({ id, health }) => [id, health])).toEqual([
      ...[
        ['parts', 'ok'],
        ['quiet', 'failing'],
        ['sales', 'ok'],
      ],
    ]);
    expect(body.data[1]?.unhealthy).toEqual({
      since: '2026-03-02T00:00:00.000Z',
      reason: expect.stringContaining('the service was silent'),
    });
  });

  test('an answer is that of the token, and counts once', async () => {
    const { call, answer, read, idOf, listed } = service;
    const asked = {
      ...{ token: answer, id: await idOf('Sales') },
      body: { answer: 'acknowledge', reason: 'on it' },
      headers: { 'Idempotency-Key': 'one' },
    };
    const acknowledged = { by: 'robot', at: new Date(NOW).toISOString(), reason: 'on it' };
    expect((await call('answerAlert', asked)).body).toMatchObject({ acknowledged });
    expect((await call('answerAlert', asked)).body.answers).toHaveLength(1);
    const again = await call('answerAlert', { ...asked, headers: {} });
    expect(again).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('acknowledged it') },
    });
    expect(await listed({ ack: 'yes' })).toEqual(['Sales']);
    expect((await call('getAlert', { token: read, id: asked.id })).body.answers).toMatchObject([
      { by: 'robot' },
    ]);
  });

  test('an answer to an earlier fire is refused', async () => {
    const { call, answer, idOf } = service;
    const body = { answer: 'accept', firedAt: '2026-03-01T00:00:00.000Z' };
    const refused = await call('answerAlert', { token: answer, id: await idOf('Sales'), body });
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('firing again') } });
  });

  test('a silence holds back the alerts that it matches', async () => {
    const { call, answer, read, idOf } = service;
    const silence = { rule: 'parts', segment: 'Malta', hours: 2, reason: 'a move' };
    const { body } = await call('addSilence', { token: answer, body: silence });
    expect(body.until).toBe(new Date(NOW + 2 * HOUR_MS).toISOString());
    const quiet = { because: 'silence', by: 'robot', until: body.until, reason: 'a move' };
    expect((await call('getAlert', { token: read, id: await idOf('Parts: Malta') })).body.quiet).toEqual(
      quiet,
    );
    expect((await call('getAlert', { token: read, id: await idOf('Parts: Peru') })).body.quiet).toBeNull();
  });

  test('silences are listed newest first, and one is ended', async () => {
    const { call, answer, read, clock, idOf } = service;
    const [parts, checkout] = [{ rule: 'parts' }, { app: 'web', owner: 'checkout' }];
    const first = await call('addSilence', { token: answer, body: { ...parts, hours: 2, reason: 'a move' } });
    clock.advanceTo(NOW + 1);
    await call('addSilence', { token: answer, body: { ...checkout, hours: 1 } });
    const { id } = first.body;
    const ended = await call('endSilence', { token: answer, id });
    expect(ended.body).toMatchObject({ id, until: new Date(NOW + 1).toISOString(), active: false });
    expect((await call('endSilence', { token: answer, id })).status).toBe(404);
    const { body } = await call('listSilences', { token: read, limit: 1 });
    expect(body.data).toMatchObject([{ match: checkout, by: 'robot', active: true }]);
    const { body: rest } = await call('listSilences', { token: read, cursor: body.nextCursor });
    expect(rest).toMatchObject({
      data: [{ id, match: parts, reason: 'a move', active: false }],
      nextCursor: null,
    });
    expect((await call('getAlert', { token: read, id: await idOf('Parts: Malta') })).body.quiet).toBeNull();
  });

  test('the timeline has incidents and notes, newest first, each on one page', async () => {
    const { call, answer, read } = service;
    for (const note of [{ text: 'release 7.22', app: 'web' }, { text: 'new prices' }])
      await call('addNote', { token: answer, body: note });
    const listed = async (query: object) => {
      const entries: unknown[] = [];
      let cursor: string | null | undefined;
      do {
        const { body } = await call('listTimeline', { token: read, ...query, ...(cursor && { cursor }) });
        entries.push(...body.data.map(({ title, text }) => title || text));
        cursor = body.nextCursor;
      } while (cursor);
      return entries;
    };
    const noted = ['release 7.22', 'new prices'];
    expect(await listed({ limit: 2 })).toEqual([...noted, 'Parts: Malta', 'Parts: Peru', 'Sales']);
    expect(await listed({ limit: 1, app: 'demo' })).toEqual(['new prices', 'Sales']);
    expect(await listed({ severity: 'critical' })).toEqual([...noted, 'Parts: Malta', 'Parts: Peru']);
    const { body } = await call('listTimeline', { token: read, app: 'demo' });
    expect(body.data[1]).toMatchObject({
      ...{ kind: 'incident', ruleId: 'sales', segment: null, at: '2026-03-02T00:00:00.000Z', end: null },
      links: { open: `${URL_ROOT}/alerts/sales` },
    });
  });

  test('a note is stored', async () => {
    const { call, answer, notes } = service;
    await call('addNote', { token: answer, body: { text: 'release 7.22', app: 'web' } });
    const [note] = await notes.load({ fromAt: NOW, throughAt: NOW });
    expect(note).toMatchObject({ text: 'release 7.22', app: 'web', by: 'robot', at: NOW });
  });
});

describe('paging', () => {
  test('returns each alert that stays open once, however alerts change in between', async () => {
    const { call, read, alerts } = await openService();
    const segments = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`);
    for (const segment of segments) await alerts.save(firing(PARTS, { segment }));
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { body } = await call('listAlerts', { token: read, app: 'web', limit: 4, cursor });
      seen.push(...body.data.map(({ segment }) => String(segment)));
      cursor = body.nextCursor ?? undefined;
      // The last one of each page ends, so the cursor names an alert that is gone; the most severe order changes too.
      const [last] = await alerts.load([{ ruleId: 'parts', segment: seen.at(-1) ?? '' }]);
      if (last) await alerts.save({ ...last, state: 'normal', fired: null });
      await alerts.save(firing(PARTS, { segment: `a new one ${pages}` }));
      pages += 1;
    } while (cursor !== undefined && pages < 20);
    expect(seen.toSorted()).toEqual(['Malta', 'Peru', ...segments]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    ['state=burning', 'state'],
    ['rule=sales', 'rule'],
  ])('?%s is refused, and the problem names it', async (query, name) => {
    const { desk, read } = await openService();
    const headers = { Authorization: `Bearer ${read}` };
    const response = await desk.request(`/api/v1/alerts?${query}`, { headers });
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      status: 400,
      title: 'Bad Request',
      detail: expect.stringContaining(name),
    });
  });
});

describe('access', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService();
  });

  test.each(OPERATIONS)(
    '$operationId needs a token, whatever else is sent',
    async ({ operationId, method }) => {
      const { call, desk, mint, clock } = service;
      const asked = { id: 'x', ...(method === 'post' && { body: {} }) };
      const Cookie = `__Host-session=${await desk.sign('session', { by: 'Anna' })}`;
      const none = await call(operationId, { ...asked, headers: { Cookie } });
      expect(none).toMatchObject({ status: 401, body: { title: 'Unauthorized' } });
      expect(none.headers.get('WWW-Authenticate')).toBe('Bearer');
      const ofData = await mint(undefined);
      const expired = await mint('answer', { expiresAt: NOW + 1 });
      const revoked = await mint('answer');
      await desk.keys.revoke(revoked.key.id, NOW);
      clock.advanceTo(NOW + 1);
      for (const { text } of [ofData, expired, revoked, { text: 'dwk_unknown' }])
        expect((await call(operationId, { ...asked, token: text })).status).toBe(401);
      expect(desk.writes).toEqual([]);
    },
  );

  test.each(OPERATIONS.filter(({ method }) => method !== 'get'))(
    'a token that may only read is refused $operationId, before its body is looked at',
    async ({ operationId }) => {
      const { call, desk, read } = service;
      for (const body of [{ answer: 'accept' }, '{']) {
        const refused = await call(operationId, { token: read, id: 'x', body });
        expect(refused).toMatchObject({
          status: 403,
          body: { detail: expect.stringContaining('may only read') },
        });
      }
      expect(desk.writes).toEqual([]);
    },
  );

  test('a token gives no session on the page', async () => {
    const headers = { Authorization: `Bearer ${service.answer}` };
    expect((await service.desk.request('/alerts', { headers })).status).toBe(401);
  });

  test('the description is public', async () => {
    expect(await (await service.desk.request('/api/v1/openapi.json')).json()).toMatchObject(document);
  });

  test('a token has a limit, and another one has its own', async () => {
    const { call, read, answer, desk } = service;
    for (let i = 0; i < TOKEN_LIMIT.perSecond; i += 1)
      expect((await call('listRules', { token: read })).status).toBe(200);
    const refused = await call('listRules', { token: read });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect((await call('listRules', { token: answer })).status).toBe(200);
    expect((await desk.keys.list()).every(({ lastUsedAt }) => lastUsedAt === NOW)).toBe(true);
  });
});

describe('answers of the service', () => {
  test('an unchanged list is answered with 304, a changed one with the list', async () => {
    const { call, read, answer, idOf } = await openService();
    const first = await call('listAlerts', { token: read });
    const headers = { 'If-None-Match': `"other", W/${first.headers.get('ETag')}` };
    expect(await call('listAlerts', { token: read, headers })).toMatchObject({ status: 304, text: '' });
    await call('answerAlert', { token: answer, id: await idOf('Sales'), body: { answer: 'acknowledge' } });
    expect((await call('listAlerts', { token: read, headers })).status).toBe(200);
  });

  test.each(['getAlert', 'listTimeline'])('%s has the same tag while an alert fires', async (name) => {
    const { call, read, idOf, clock } = await openService();
    const asked = { token: read, ...(name === 'getAlert' && { id: await idOf('Sales') }) };
    const ETag = (await call(name, asked)).headers.get('ETag') ?? '';
    clock.advanceTo(NOW + HOUR_MS);
    expect((await call(name, { ...asked, headers: { 'If-None-Match': ETag } })).status).toBe(304);
  });

  test('a cursor of another list is refused', async () => {
    const { call, read } = await openService();
    const { body } = await call('listAlerts', { token: read, limit: 1 });
    for (const name of ['listRules', 'listSilences', 'listTimeline'])
      expect((await call(name, { token: read, cursor: body.nextCursor })).status).toBe(400);
  });

  test('a failure has no tag, and is never an empty list', async () => {
    const failing = () => Promise.reject(new UpstreamError('the table cannot be read', { retryable: true }));
    const { call, read } = await openService(inMemoryStores(), {
      alerts: { ...inMemoryStores().alerts, loadOpen: failing },
    });
    const failed = await call('listAlerts', { token: read });
    expect(failed).toMatchObject({ status: 503, body: { detail: 'the table cannot be read' } });
    expect(failed.headers.get('ETag')).toBeNull();
  });

  test('a list names what cannot be read', async () => {
    const stores = inMemoryStores();
    const { call, read } = await openService(stores, {
      alerts: {
        ...stores.alerts,
        loadOpen: (unreadable) => {
          unreadable?.({ ruleId: 'sales', segment: null, reason: 'damaged' });
          return stores.alerts.loadOpen();
        },
      },
    });
    const { body } = await call('listAlerts', { token: read });
    expect(body.unreadable).toEqual([{ ruleId: 'sales', segment: null }]);
  });

  test.each([HOSTILE, '', 'a/b?c#d', '\ud800', '../../rules', '"]', 'Ж'.repeat(400)])(
    'the segment %j is data',
    async (segment) => {
      const { call, read, answer, alerts } = await openService();
      await alerts.save(firing(PARTS, { segment }));
      const { body } = await call('listAlerts', { token: read, app: 'web' });
      const found = body.data.find((each) => each.segment === segment);
      expect(alertKeyOf(found?.id ?? '')).toEqual({ ruleId: 'parts', segment });
      const done = await call('answerAlert', { token: answer, id: found?.id, body: { answer: 'snooze-1d' } });
      expect(done).toMatchObject({
        status: 200,
        body: { segment, quiet: { because: 'snooze', by: 'robot' } },
      });
    },
  );

  test('an app that sends no data has an alert', async () => {
    const { call, read, alerts } = await openService();
    await alerts.save({ ...newAppAlert('shop/eu'), state: 'firing', stateSinceAt: NOW });
    const { body } = await call('listAlerts', { token: read, app: 'shop/eu' });
    expect(body.data).toMatchObject([{ app: 'shop/eu', severity: 'critical', figures: null }]);
  });

  test.each(['x', 'bnVsbA', 'WyJhIl0', 'WyJnb25lIixudWxsXQ', '%2e%2e'])('%s is no alert', async (id) => {
    const { call, read, answer } = await openService();
    expect((await call('getAlert', { token: read, id })).status).toBe(404);
    expect((await call('answerAlert', { token: answer, id, body: { answer: 'acknowledge' } })).status).toBe(
      404,
    );
  });

  test.each([
    ['answerAlert', '{', 400],
    ['answerAlert', { answer: 'resolve' }, 400],
    ['answerAlert', { answer: 'accept', by: 'Eve' }, 400],
    ['answerAlert', { answer: 'accept', reason: 'x'.repeat(501) }, 400],
    ['answerAlert', { answer: 'accept', reason: 'x'.repeat(20_000) }, 413],
    ['addSilence', { hours: 1, reason: 'x' }, 400],
    ['addSilence', { app: '*', hours: 1, reason: 'x' }, 400],
    ['addSilence', { app: ' ', hours: 1, reason: 'x' }, 400],
    ['addSilence', { app: '', owner: '**', hours: 1, reason: 'x' }, 400],
    ['addSilence', { app: 'web', segmnt: 'DE', hours: 1, reason: 'x' }, 400],
    ['addSilence', { app: 'web', hours: 10_000, reason: 'x' }, 400],
    ['addNote', { text: '\u202e' }, 400],
    ['addNote', { text: ' ' }, 400],
    ['addSilence', { app: 'web', hours: 0.001, reason: 'x' }, 400],
    ['addNote', { text: ' x'.repeat(101) }, 400],
  ])('%s refuses %j, as its description says', async (name, body, status) => {
    expect(takes(name, body)).toBe(false);
    const { call, desk, answer, idOf } = await openService();
    const id = await idOf('Sales');
    expect((await call(name, { token: answer, id, body })).status).toBe(status);
    expect(desk.writes).toEqual([]);
  });

  test.each([
    ['answerAlert', { answer: 'accept', firedAt: '2026-03-03T01:00:00+01:00' }],
    ['answerAlert', { answer: 'accept', reason: '\u{1f389}'.repeat(500) }],
    ['addSilence', { segment: '', hours: 720 }],
    ['addSilence', { app: 'web*', severity: 'crit*', hours: 0.01, reason: '\ud800' }],
    ['addNote', { text: '\u202e\u{1f389}'.repeat(100), app: '' }],
  ])('%s takes %j, as its description says', async (name, body) => {
    const { call, answer, idOf } = await openService();
    expect(takes(name, body)).toBe(true);
    expect((await call(name, { token: answer, id: await idOf('Sales'), body })).status).toBe(200);
  });

  test.each([
    ['DELETE', '/api/v1/alerts', 405, 'GET, HEAD'],
    ['GET', '/api/v1/notes', 405, 'POST'],
    ['GET', '/api/v1/nothing', 404, null],
    ['POST', '/api/v1', 404, null],
  ])('%s %s is answered with a problem', async (method, path, status, allowed) => {
    const { desk } = await openService();
    const response = await desk.request(path, { method });
    expect([response.status, response.headers.get('Allow')]).toEqual([status, allowed]);
    expect(await response.json()).toMatchObject({ type: 'about:blank', status });
  });
});

test('fields that the signed webhook has too have its names and forms', () => {
  const { shape } = publishedAlertSchema;
  for (const name of ['ruleId', 'segment', 'app', 'severity', 'since'] as const)
    expect(alertRecordSchema.shape[name].type).toBe(shape[name].type);
  expect(alertRecordSchema.shape.figures.unwrap()).toBe(shape.figures.unwrap());
  expect(Object.keys(alertRecordSchema.shape.window.unwrap().shape)).toEqual(
    Object.keys(shape.window.unwrap().shape),
  );
});
