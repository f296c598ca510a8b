import * as z from 'zod';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import { JiraSite } from './jira-site.ts';
import { type Open, openHttp, SECRET } from './receivers.ts';
import { NOW } from './samples.ts';

const clock = new ManualClock(NOW);
const text = (max: number) => z.string().min(1).max(max);

export const ALERT_SOURCE = `https://api.incident.io/v2/alert_events/http/01GW?token=${SECRET}`;
/** https://docs.incident.io/api-reference/alert-events-v2/createhttp */
export const alertEventSchema = z.strictObject({
  deduplication_key: text(255),
  status: z.enum(['firing', 'resolved']),
  title: text(1024),
  description: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  source_url: z.url().optional(),
});

export const openIncidentIo: Open = (timeoutMs = 60_000) =>
  openHttp(
    { status: 401, body: `{"type":"authentication_error","detail":"${SECRET}"}` },
    ({ headers, url }, body) => {
      if (headers.authorization !== `Bearer ${SECRET}` || url !== '/v2/alert_events/http/01GW')
        return { wrong: 'not this source' };
      if (body.length > 512 * 1024) return { wrong: 'too long' };
      return { text: alertEventSchema.parse(JSON.parse(body)).title };
    },
    (to) =>
      channelTo({ incidentio: { webhook_secret: 'url' } }, { secret: ALERT_SOURCE, to, clock, timeoutMs }),
    { status: 202, body: '{"status":"success"}' },
  );

/** https://docs.opsgenie.com/docs/alert-api, and the same of Jira Service Management. */
export const opsgenieAlertSchema = z.strictObject({
  message: text(130),
  alias: text(512).regex(/^[\w-]+$/),
  description: z.string().max(15_000),
  source: text(100),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
  entity: z.string().max(512),
  details: z.record(z.string(), z.string()).refine((map) => JSON.stringify(map).length <= 8000),
});
export const opsgenieActionSchema = z.strictObject({ source: text(100), note: text(25_000) });

export const openOpsgenie: Open = (timeoutMs = 60_000) =>
  openHttp(
    { status: 422, body: `{"message":"Key format is not valid! ${SECRET}"}` },
    ({ headers, url }, body) => {
      if (headers.authorization !== `GenieKey ${SECRET}` || url !== '/jsm/ops/integration/v2/alerts')
        return { wrong: 'no such key' };
      const { description } = opsgenieAlertSchema.parse(JSON.parse(body));
      if (description.includes('<')) return { wrong: 'HTML' };
      return { text: description.split('\n')[0]?.replace('🔴 ', '') ?? '' };
    },
    (to) =>
      channelTo(
        { opsgenie: { api_key_secret: 'key', site: 'jira' } },
        { secret: SECRET, to, clock, timeoutMs },
      ),
    { status: 202, body: '{"result":"Request will be processed"}' },
  );

export const JIRA_TOKEN = `anna@example.com:${SECRET}`;
export const JIRA = { site: 'https://example.atlassian.net', project: 'OPS', token_secret: 'jira' };

export const openJira: Open = (timeoutMs = 60_000) => {
  const site = new JiraSite(JIRA_TOKEN);
  return openHttp(
    { status: 403, body: `{"errorMessages":["${SECRET}"]}` },
    (request, body) => site.answer(request, body),
    (to) => channelTo({ jira: JIRA }, { secret: JIRA_TOKEN, to, clock, timeoutMs }),
    { status: 204 },
  );
};
