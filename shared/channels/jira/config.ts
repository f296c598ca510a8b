import * as z from 'zod';
import { type ChannelKind, secretName } from '../kind.ts';

const name = z.string().min(1).max(100).optional();
const schema = z
  .strictObject({
    site: z.url({ protocol: /^https$/, error: 'write an address such as "https://example.atlassian.net"' }),
    project: z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'write the key of the project, such as "OPS"'),
    token_secret: secretName('API token'),
    issue_type: name.describe('The type of new issues; "Task" by default.'),
    done_status: name.describe('The status after the end of the alert; by default the first that is done.'),
  })
  .describe('Issues in a project of Jira Cloud.');

export type JiraSettings = z.output<typeof schema>;

export const jira: ChannelKind<JiraSettings> = {
  schema,
  secrets: ({ token_secret }) => [{ name: token_secret, holds: 'e-mail address:API token of Jira' }],
  isPager: true,
};
