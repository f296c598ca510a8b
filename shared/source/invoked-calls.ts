import { InvokeCommand, type LambdaClient, LambdaServiceException } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { isThrottled } from '../aws/requests.ts';
import type { DataAccessHttpOptions } from './http-calls.ts';

/** The response of a function behind an HTTP API, in payload format 2.0. */
const answerSchema = z.object({
  statusCode: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});

/** A placeholder host that does not resolve: requests become events of a function. */
const HOST = 'data-access.invalid';

/**
 * A data access service that is a Lambda function, invoked directly with the permissions of the role. It gets the event
 * that the API in front of it would pass on, so it checks the key and counts the request like any other.
 */
export function invokedDataAccess(
  client: Pick<LambdaClient, 'send'>,
  functionName: string,
): Pick<DataAccessHttpOptions, 'baseUrl' | 'fetch'> {
  return {
    baseUrl: `https://${HOST}`,
    async fetch(url, init) {
      const Payload = JSON.stringify(eventOf(new URL(url), init));
      const { signal } = init;
      try {
        const command = new InvokeCommand({ FunctionName: functionName, Payload });
        const outcome = await client.send(command, signal ? { abortSignal: signal } : {});
        // The message may repeat the request. The log of the function has the reason.
        if (outcome.FunctionError !== undefined)
          return refusal(502, 'its function failed or timed out; see its log');
        return answerOf(outcome.Payload?.transformToString() ?? '');
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof LambdaServiceException)) throw error;
        return error.name === 'TooManyRequestsException' || isThrottled(error.name)
          ? refusal(429, 'its function is at its concurrency limit')
          : refusal(503, `Lambda refused the call: ${error.name}`);
      }
    },
  };
}

function eventOf({ pathname, search }: URL, { method = 'GET', headers, body }: RequestInit) {
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...Object.fromEntries(new Headers(headers)), host: HOST },
    requestContext: { domainName: HOST, http: { method, path: pathname } },
    ...(typeof body === 'string' && { body }),
    isBase64Encoded: false,
  };
}

function answerOf(payload: string): Response {
  const { statusCode, headers, body, isBase64Encoded } = answerSchema.parse(JSON.parse(payload));
  const hasBody = statusCode !== 204 && statusCode !== 304;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return new Response(hasBody ? bytes : null, { status: statusCode, headers });
}

function refusal(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}
