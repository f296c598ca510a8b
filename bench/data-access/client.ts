import { Agent, request as httpRequest } from 'node:http';
import { type Body, bodySchema, type Question } from './question.ts';
import { API_KEY } from './serving.ts';

export interface Client {
  /** Sends the request and returns the whole body, unparsed. Throws if the status is not 200. */
  ask(question: Pick<Question, 'app' | 'request'>): Promise<Buffer>;
  close(): void;
}

/** A client that reuses its connection. */
export function openClient(port: number, apiKey = API_KEY): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    ask: ({ app, request }) => exchange(agent, port, messageOf(app, request, apiKey)),
    close: () => agent.destroy(),
  };
}

export const bodyOf = (bytes: Buffer): Body => bodySchema.parse(JSON.parse(bytes.toString()));

interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: string;
}

function messageOf(app: string, { method, path, parameters }: Question['request'], apiKey: string): Message {
  if (method === 'POST') {
    const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
    return { method, path, headers, content: JSON.stringify({ app_id: app, ...parameters }) };
  }
  const query = new URLSearchParams({ appid: app, apikey: apiKey });
  for (const [name, value] of Object.entries(parameters))
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  return { method, path: `${path}?${query}`, headers: {} };
}

function exchange(agent: Agent, port: number, { content, ...message }: Message): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, agent, ...message }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${message.method} returned status ${response.statusCode}: ${bytes}`));
      });
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
