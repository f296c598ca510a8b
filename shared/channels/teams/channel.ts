import type { Channel, Refusal } from '../../messages/channel.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ChannelDeps } from '../deps.ts';
import type { SettingsOf } from '../kinds.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';
import { type SecretWebhookOptions, secretWebhook, type WebhookAnswer } from '../secret-webhook.ts';
import { teamsMessage } from './card.ts';

export async function open(
  { webhook_secret }: SettingsOf<'teams'>,
  { readSecret, ...deps }: ChannelDeps,
): Promise<Channel> {
  return createTeamsChannel({ webhookUrl: await readSecret(webhook_secret), ...deps });
}

/**
 * Sends each message as an Adaptive Card to a workflow that starts "when a Teams webhook request is received". It answers
 * 202 before it posts the card. Any other success also counts as sent, unless its text names a failure: a message that
 * was probably posted must not be sent again and again. Throws `ConfigError` for an invalid URL.
 */
export function createTeamsChannel(options: SecretWebhookOptions): Channel {
  const post = secretWebhook('Teams', options);
  return {
    async send(message) {
      const answer = await post(teamsMessage(message));
      if (answer.kind === 'refused') return answer;
      return refusalOf(answer, options.clock) ?? { kind: 'sent' };
    },
  };
}

function refusalOf(answer: WebhookAnswer, clock: Clock): Refusal | undefined {
  const { retryAfter, body } = answer;
  if (answer.status < 400 && isFromElsewhere(answer))
    return refusedForNow('something other than a workflow of Teams answered');
  const failure = answer.status < 300 ? failureIn(body) : answer;
  if (!failure) return undefined;
  const { status } = failure;
  if (status === undefined) return refusedForNow('Teams failed, and gives no status');
  const refusal = refusalByStatus('Teams', { status, retryAfter, now: clock.now() });
  if (!refusal?.permanent) return refusal;
  const code = errorCodeOf(body);
  const said = code === undefined ? `${status}` : `${status}, ${code}`;
  return refusedForGood(`Teams refused the message (${said})${adviceOn(status, code)}`);
}

/** A redirect, or the page of a proxy. A workflow that ends with a response of its own answers 200 with any other text. */
function isFromElsewhere({ status, body }: WebhookAnswer): boolean {
  return status >= 300 || body.trimStart().startsWith('<');
}

/**
 * The status in the body of a connector, which answers 200 with "1", or with the failure of the endpoint behind it:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#rate-limiting-for-connectors
 */
function failureIn(body: string): { status?: number } | undefined {
  if (!/^Webhook message delivery failed|^System\.[\w.]*Exception/.test(body.trimStart())) return undefined;
  const [, status] = /HTTP error ([45]\d\d)\b/.exec(body) ?? [];
  return status === undefined ? {} : { status: Number(status) };
}

/** The error code of Power Automate. Anything else may be a proxy's page and is not repeated. */
function errorCodeOf(body: string): string | undefined {
  return /"code"\s*:\s*"([A-Za-z]{3,60})"/.exec(body)?.[1];
}

function adviceOn(status: number, code: string | undefined): string {
  if (code === 'WorkflowTriggerIsNotEnabled') return ': turn the workflow on';
  if ([401, 403, 404, 410].includes(status))
    return ': the workflow was removed, or its address changed; store its new address in the secret';
  return '';
}
