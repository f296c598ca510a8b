import { SNSClient } from '@aws-sdk/client-sns';
import { listen } from '../fixtures/loopback-server.ts';

interface Published {
  topicArn: string;
  subject: string;
  message: string;
  groupId: string | null;
  deduplicationId: string | null;
  /** Type and text of each attribute by name. */
  attributes: Record<string, [string, string]>;
}

export interface SnsServer extends AsyncDisposable {
  client: SNSClient;
  published: Published[];
  /** Failures of the next requests. A cut closes the connection without a response. */
  troubles: ({ status: number; code: string } | 'cut' | 'silence')[];
}

/** An HTTP server on loopback that answers Publish as SNS documents it, in its query protocol. */
export async function startSnsServer(timeoutMs = 5000): Promise<SnsServer> {
  const published: Published[] = [];
  const troubles: SnsServer['troubles'] = [];
  const server = await listen((request, body, response) => {
    const trouble = troubles.shift();
    if (trouble === 'silence') return;
    if (trouble === 'cut') return void request.socket.destroy();
    const sent = publishedIn(new URLSearchParams(body));
    const refusal = trouble ?? faultOf(sent);
    if (!refusal) published.push(sent);
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'text/xml' });
    response.end(refusal ? errorXml(refusal.code) : SENT_XML);
  });
  const client = new SNSClient({
    region: 'local',
    endpoint: server.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  return {
    client,
    published,
    troubles,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

const SENT_XML =
  '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>1</MessageId></PublishResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></PublishResponse>';

const errorXml = (code: string) =>
  `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

function publishedIn(form: URLSearchParams): Published {
  const attributes: Published['attributes'] = {};
  for (let i = 1; form.has(`MessageAttributes.entry.${i}.Name`); i++) {
    const entry = (name: string) => form.get(`MessageAttributes.entry.${i}.${name}`) ?? '';
    attributes[entry('Name')] = [entry('Value.DataType'), entry('Value.StringValue')];
  }
  return {
    topicArn: form.get('TopicArn') ?? '',
    subject: form.get('Subject') ?? '',
    message: form.get('Message') ?? '',
    groupId: form.get('MessageGroupId'),
    deduplicationId: form.get('MessageDeduplicationId'),
    attributes,
  };
}

// Characters that queues behind a topic refuse: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
const NO_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
function faultOf({ topicArn, subject, message, attributes, groupId }: Published) {
  const bytes = Buffer.byteLength(message + JSON.stringify(attributes));
  const isRefused =
    subject.length === 0 ||
    subject.length >= 100 ||
    /\p{Cc}/u.test(subject) ||
    message.length === 0 ||
    bytes > 262_144 ||
    topicArn.endsWith('.fifo') !== (groupId !== null) ||
    NO_XML.test(message + JSON.stringify(attributes)) ||
    Object.values(attributes).some(([, value]) => value === '');
  return isRefused ? { status: 400, code: 'InvalidParameter' } : undefined;
}
