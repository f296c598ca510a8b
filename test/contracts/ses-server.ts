import PostalMime, { type Email } from 'postal-mime';
import * as z from 'zod';
import { listen } from '../fixtures/loopback-server.ts';

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
const requestSchema = z.object({
  Destination: z.object({ ToAddresses: z.array(z.email()).min(1).max(50) }),
  Content: z.object({ Raw: z.object({ Data: z.base64() }) }),
});

export interface SesServer extends AsyncDisposable {
  /** For a client of SES. */
  config: object;
  arrived: { to: string[]; mail: Email }[];
  /** Failures of the next requests. A cut closes the connection without a response. */
  troubles: ({ status: number; code: string } | 'cut' | 'silence')[];
}

/** An HTTP server on loopback that answers SendEmail of version 2 as SES documents it. */
export async function startSesServer(timeoutMs = 5000): Promise<SesServer> {
  const arrived: SesServer['arrived'] = [];
  const troubles: SesServer['troubles'] = [];
  const server = await listen(async (request, body, response) => {
    const trouble = troubles.shift();
    if (trouble === 'silence') return;
    if (trouble === 'cut') return void request.socket.destroy();
    if (trouble) {
      response.writeHead(trouble.status, {
        'content-type': 'application/json',
        'x-amzn-errortype': trouble.code,
      });
      return void response.end('{"message":"no"}');
    }
    if (request.url !== '/v2/email/outbound-emails') return void response.writeHead(404).end();
    const { Destination, Content } = requestSchema.parse(JSON.parse(body));
    const mail = await PostalMime.parse(Buffer.from(Content.Raw.Data, 'base64'));
    arrived.push({ to: Destination.ToAddresses, mail });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"MessageId":"0100"}');
  });
  return {
    config: {
      region: 'local',
      endpoint: server.url,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    },
    arrived,
    troubles,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
