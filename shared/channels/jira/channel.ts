import * as z from 'zod';
import type { Channel } from '../../messages/channel.ts';
import { type MessageItem, messageOf } from '../../messages/message.ts';
import { contentHash } from '../../text/content-hash.ts';
import { jsonIn } from '../../text/json.ts';
import { chatMessage, PLAIN } from '../chat-text.ts';
import type { ChannelDeps } from '../deps.ts';
import { postTo } from '../http-post.ts';
import { oneLine } from '../outgoing-text.ts';
import { type Delivered, headerValue, pagerChannel, wrongCredential } from '../pager.ts';
import { refusalByStatus, refusedForNow } from '../refusals.ts';
import type { JiraSettings } from './config.ts';

/** `document`: our own, as JSON; Jira takes 32,767 characters. */
const LIMITS = { summary: 255, document: 32_000 } as const;

const statusSchema = z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }) });
const savedSchema = z.object({ id: z.string() });
const foundSchema = z.object({ issues: z.array(savedSchema) });
const issueSchema = savedSchema.extend({
  fields: z.object({ status: statusSchema }),
  transitions: z.array(savedSchema.extend({ to: statusSchema })),
});

const isDone = ({ statusCategory }: z.output<typeof statusSchema>) => statusCategory.key === 'done';

/**
 * One issue per incident. News is a comment, and the end moves the issue to a status that is done. The receipt names the
 * issue. Without it, the open issue with the label of the incident is searched, so that a lost answer makes no second
 * one. The search may be late, so the status comes from the issue itself. Throws `ConfigError` for an invalid token.
 */
export async function open(settings: JiraSettings, deps: ChannelDeps): Promise<Channel> {
  const { site, project, issue_type: name = 'Task', done_status: doneStatus, token_secret } = settings;
  const callApi = jiraApi(site, await deps.readSecret(token_secret), deps);
  /** The issues of this message: the search does not know them yet. */
  const opened = new Map<string, string>();

  return pagerChannel(async ({ item, news }, signal) => {
    const call: typeof callApi = (path, schema, body) => callApi(path, schema, body, signal);
    const label = `deltawatch-${contentHash([deps.stage, news.key])}`;
    const known = opened.get(news.key) ?? (item.receipt?.conversation === site && item.receipt.message);
    const jql = `labels = "${label}" AND statusCategory != Done ORDER BY created DESC`;
    const found = known
      ? { data: { issues: [{ id: known }] } }
      : await call('search/jql', foundSchema, { jql, fields: ['id'], maxResults: 1 });
    if ('refusal' in found) return found;
    const [{ id } = {}] = found.data.issues;
    const read = id
      ? await call(`issue/${id}?fields=status&expand=transitions`, issueSchema)
      : { status: 404 };
    // Nobody opened the issue, or somebody deleted it.
    if ('refusal' in read && read.status !== 404) return read;
    const issue = 'data' in read ? read.data : undefined;

    if (news.action === 'trigger' && (!issue || isDone(issue.fields.status))) {
      const fields = {
        ...{ project: { key: project }, issuetype: { name }, labels: ['deltawatch', item.severity, label] },
        summary: oneLine(LIMITS.summary, item.headline) || item.ruleId,
        description: documentOf(item),
      };
      const created = await call('issue', savedSchema, { fields });
      if ('refusal' in created) return created;
      opened.set(news.key, created.data.id);
      return { receipt: { conversation: site, message: created.data.id } };
    }
    if (!issue) return {};

    const notes: string[] = [];
    if (news.action === 'resolve' && !isDone(issue.fields.status)) {
      const way = issue.transitions.find(({ to }) => isDone(to) && to.name === (doneStatus ?? to.name));
      const transition = { id: way?.id };
      const moved = way && (await call(`issue/${issue.id}/transitions`, z.unknown(), { transition }));
      if (moved && 'refusal' in moved && moved.status !== 400) return moved;
      if (!moved || 'refusal' in moved)
        notes.push(
          `Close this issue by hand: its workflow does not let Deltawatch move it to ${doneStatus ?? 'a status that is done'}.`,
        );
    }
    const said = await call(`issue/${issue.id}/comment`, savedSchema, { body: documentOf(item, ...notes) });
    return 'refusal' in said ? said : { receipt: { conversation: site, message: issue.id } };
  }, deps);
}

/** `notes`, and what people read: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure */
const documentOf = (item: MessageItem, ...notes: string[]) =>
  chatMessage(
    // No text has these two signs.
    { ...PLAIN, link: (label, url) => `\u2066${label}\u2069${url}\u2069` },
    ({ title, alerts: [alert] }) => {
      const content = [title, ...notes, ...(alert?.lines ?? [])].map(paragraphOf);
      return { type: 'doc', version: 1, content };
    },
    (written) => JSON.stringify(written).length <= LIMITS.document,
  )(messageOf([item]));

function paragraphOf(line: string) {
  const parts = line.matchAll(/\u2066(.*?)\u2069(.*?)\u2069|[^\u2066]+/g);
  const content = Array.from(parts, ([text, label, href]) =>
    href ? { type: 'text', text: label, marks: [{ type: 'link', attrs: { href } }] } : { type: 'text', text },
  );
  return { type: 'paragraph', content };
}

/** `status`: with which Jira refused the call. */
type Called<T> = { data: T } | (Delivered & { refusal: object; status?: number });

const errorsSchema = z.object({ errors: z.record(z.string(), z.unknown()) }).catch({ errors: {} });

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3. `secret`: "e-mail address:API token", or an OAuth token. */
function jiraApi(site: string, secret: string, deps: ChannelDeps) {
  const token = headerValue(secret, 'Jira API token');
  const login = token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`;
  const headers = { 'Content-Type': 'application/json', Authorization: login };
  return async <T>(
    path: string,
    schema: z.ZodType<T>,
    body?: object,
    signal?: AbortSignal,
  ): Promise<Called<T>> => {
    const url = `${site.replace(/\/$/, '')}/rest/api/3/${path}`;
    const answer = await postTo('Jira', url, { headers, signal, body: body && JSON.stringify(body) }, deps);
    if ('kind' in answer) return { refusal: answer };
    const { status } = answer;
    // Jira may answer a call with a wrong token as if nobody had logged in: with 200 and no issues.
    if (status === 401 || /FAILED|DENIED/.test(answer.headers?.get('x-seraph-loginreason') ?? ''))
      return { refusal: wrongCredential('Jira', 'API token', status) };
    if (status >= 400) {
      const { errors } = errorsSchema.parse(jsonIn(answer.body));
      const error = /^[\w, ]{1,200}$/.exec(Object.keys(errors).join(', '))?.[0];
      const advice = status < 405 ? ': check the channel in the routes, and the rights of its account' : '';
      const refusal = refusalByStatus('Jira', { ...answer, error, advice }, deps.clock.now());
      return { refusal, goesOn: status === 400, status };
    }
    const { data, success } = schema.safeParse(jsonIn(answer.body));
    return success ? { data } : { refusal: refusedForNow('something other than Jira answered') };
  };
}
