import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { Answer } from './receivers.ts';

const text = (max: number) => z.string().min(1).max(max);

/** https://developer.atlassian.com/cloud/jira/platform/apis/document/structure, the part that Deltawatch writes. */
const documentSchema = z
  .strictObject({
    type: z.literal('doc'),
    version: z.literal(1),
    content: z.array(
      z.strictObject({
        type: z.literal('paragraph'),
        content: z.array(
          z.strictObject({
            type: z.literal('text'),
            text: text(32_767),
            marks: z
              .tuple([
                z.strictObject({
                  type: z.literal('link'),
                  attrs: z.strictObject({ href: z.url({ protocol: /^https?$/ }) }),
                }),
              ])
              .optional(),
          }),
        ),
      }),
    ),
  })
  .refine((document) => JSON.stringify(document).length <= 32_767, 'CONTENT_LIMIT_EXCEEDED');
type Document = z.output<typeof documentSchema>;

const issueSchema = z.strictObject({
  fields: z.strictObject({
    project: z.strictObject({ key: z.string() }),
    issuetype: z.strictObject({ name: z.string() }),
    summary: text(255).regex(/^[^\n\r]*$/),
    description: documentSchema,
    labels: z.array(text(255).regex(/^\S+$/)),
  }),
});
const commentSchema = z.strictObject({ body: documentSchema });
const searchSchema = z.strictObject({
  jql: z.string(),
  fields: z.array(z.string()),
  maxResults: z.int().min(1).max(5000),
});
const moveSchema = z.strictObject({ transition: z.strictObject({ id: z.string() }) });

interface Issue {
  id: string;
  summary: string;
  labels: string[];
  status: string;
  comments: string[];
}

/** A status, and whether moving to it needs more fields than its name. */
export type Status = { name: string; category: 'new' | 'done'; needsFields?: boolean };
const WORKFLOW: Status[] = [
  { name: 'To do', category: 'new' },
  { name: 'Done', category: 'done' },
];

/** The lines that a person reads. */
const linesOf = ({ content }: Document) =>
  content.map((line) => line.content.map((part) => part.text).join(''));

/** A site of Jira Cloud with the project OPS. Its search knows what was saved before the last `index()`. */
export class JiraSite {
  readonly issues: Issue[] = [];
  readonly calls: string[] = [];
  #indexed: Issue[] = [];
  readonly #workflow: Status[];
  readonly #login: string;

  constructor(secret: string, workflow = WORKFLOW) {
    this.#login = `Basic ${Buffer.from(secret).toString('base64')}`;
    this.#workflow = workflow;
  }

  index(): void {
    this.#indexed = structuredClone(this.issues);
  }

  /** `text`: the first line of a new issue or comment. */
  answer(
    { url = '', method, headers }: Pick<IncomingMessage, 'url' | 'method' | 'headers'>,
    body: string,
  ): { answer: Answer; text?: string } {
    const path = url.replace('/rest/api/3/', '');
    const [, id, part] = /^issue\/(\d+)(?:\/(\w+))?/.exec(path) ?? [];
    this.calls.push(`${method} ${path.replace(/\?.*/, '')}`);
    if (headers.authorization !== this.#login)
      // https://github.com/MrRefactoring/jira.js/issues/418
      return {
        answer: { ...json(200, { issues: [] }), headers: { 'X-Seraph-LoginReason': 'AUTHENTICATED_FAILED' } },
      };
    if (method === 'POST' && path === 'search/jql')
      return { answer: json(200, this.#search(JSON.parse(body))) };
    if (method === 'POST' && path === 'issue') return this.#create(JSON.parse(body));
    const issue = this.issues.find((each) => each.id === id);
    if (!issue) return { answer: json(404, { errorMessages: ['Issue does not exist'], errors: {} }) };
    if (method === 'GET' && path === `issue/${id}?fields=status&expand=transitions`)
      return { answer: json(200, this.#shown(issue)) };
    if (method === 'POST' && part === 'comment') {
      const [text = '', ...lines] = linesOf(commentSchema.parse(JSON.parse(body)).body);
      issue.comments.push([text, ...lines].join('\n'));
      return { text: text.replace('🔴 ', ''), answer: json(201, { id: '1' }) };
    }
    if (method === 'POST' && part === 'transitions') return { answer: this.#move(issue, JSON.parse(body)) };
    return { answer: json(405, {}) };
  }

  #search(body: unknown) {
    const { jql } = searchSchema.parse(body);
    const [, label = ''] =
      /^labels = "(\S+)" AND statusCategory != Done ORDER BY created DESC$/.exec(jql) ?? [];
    const open = this.#indexed.filter(
      ({ labels, status }) => labels.includes(label) && !this.#isDone(status),
    );
    return { issues: open.slice(-1).map(({ id }) => ({ id })), isLast: true };
  }

  #create(body: unknown) {
    const { fields } = issueSchema.parse(body);
    const errors = {
      ...(fields.project.key !== 'OPS' && { project: 'valid project is required' }),
      ...(fields.issuetype.name !== 'Task' && { issuetype: 'Specify a valid issue type' }),
    };
    if (Object.keys(errors).length > 0) return { answer: json(400, { errorMessages: [], errors }) };
    const id = String(10_000 + this.issues.length);
    const [status] = this.#workflow;
    const { summary, labels } = fields;
    this.issues.push({ id, summary, labels, status: status?.name ?? '', comments: [] });
    const [text = ''] = linesOf(fields.description);
    return { text: text.replace('🔴 ', ''), answer: json(201, { id, key: `OPS-${id}` }) };
  }

  #isDone(status: string): boolean {
    return this.#workflow.some(({ name, category }) => name === status && category === 'done');
  }

  #shown({ id, status }: Issue) {
    const statusOf = ({ name, category }: Status) => ({ name, statusCategory: { key: category } });
    const [now] = this.#workflow.filter(({ name }) => name === status).map(statusOf);
    const transitions = this.#workflow.flatMap((to, i) =>
      to.name === status ? [] : [{ id: String(i), to: statusOf(to) }],
    );
    return { id, fields: { status: now }, transitions };
  }

  #move(issue: Issue, body: unknown): Answer {
    const to = this.#workflow[Number(moveSchema.parse(body).transition.id)];
    if (!to || to.needsFields) return json(400, { errorMessages: [], errors: { resolution: 'is required' } });
    issue.status = to.name;
    return { status: 204 };
  }
}

const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
