import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** By `bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** The requests in order: `PUT bucket/key`, `GET bucket/key`, `LIST bucket/prefix`, `DELETE bucket/key`. */
  readonly requests: string[];
  /** The error code that refuses a request. By default none is refused. */
  refusalOf: (request: string) => string | undefined;
  /** By default the MD5 of the content, as for single puts without KMS. */
  etagOf: (content: Buffer) => string;
  /** By default far fewer than the thousand of S3, so that a test sees several pages. */
  keysPerPage: number;
}

/** An HTTP server on loopback that lists, gets, puts and deletes as S3 documents it. Every bucket exists. */
export async function startS3Server(): Promise<S3Server> {
  const http = createServer(async (request, response) => {
    const { status, headers = {}, body = '' } = answerTo(s3, request, await buffer(request));
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const s3: S3Server = {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    objects: new Map(),
    requests: [],
    refusalOf: () => undefined,
    keysPerPage: 2,
    etagOf: (content) => createHash('md5').update(content).digest('hex'),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return s3;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

function answerTo(s3: S3Server, { method, url = '', headers }: IncomingMessage, body: Buffer): Answer {
  const { pathname, searchParams } = new URL(url, s3.url);
  // An IP address has no subdomains, so the bucket comes first in the path.
  const path = decodeURIComponent(pathname.slice(1)).replace(/\/$/, '');
  if (method === 'GET' && !searchParams.has('list-type'))
    return record(s3, `GET ${path}`, () => {
      const body = s3.objects.get(path);
      if (!body) return refusal(404, 'NoSuchKey');
      const { 'if-match': expected } = headers;
      if (expected !== undefined && expected !== `"${s3.etagOf(body)}"`)
        return refusal(412, 'PreconditionFailed');
      return { status: 200, headers: { etag: `"${s3.etagOf(body)}"` }, body };
    });
  if (method === 'GET') {
    const listed = `${path}/${searchParams.get('prefix')}`;
    return record(s3, `LIST ${listed}`, () =>
      pageOf(s3, listed, searchParams.get('continuation-token') ?? ''),
    );
  }
  if (method === 'PUT')
    return record(s3, `PUT ${path}`, () => {
      const there = s3.objects.get(path);
      const { 'if-match': expected, 'if-none-match': none } = headers;
      if (expected !== undefined && !there) return refusal(404, 'NoSuchKey');
      if ((none === '*' && there) || (expected && there && expected !== `"${s3.etagOf(there)}"`))
        return refusal(412, 'PreconditionFailed');
      s3.objects.set(path, body);
      return { status: 200, headers: { etag: `"${s3.etagOf(body)}"` } };
    });
  const keys = [...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => `${path}/${key}`);
  const errors = keys.map((key) => {
    const { body: refused = '' } = record(s3, `DELETE ${key}`, () => {
      s3.objects.delete(key);
      return { status: 204 };
    });
    return refused;
  });
  return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
}

function record(s3: S3Server, request: string, answer: () => Answer): Answer {
  s3.requests.push(request);
  const code = s3.refusalOf(request);
  if (code === undefined) return answer();
  return refusal(code === 'ConditionalRequestConflict' ? 409 : 403, code);
}

const refusal = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

function pageOf(s3: S3Server, listed: string, after: string): Answer {
  const bucket = listed.split('/')[0] ?? '';
  const left = [...s3.objects]
    .map(([path, content]) => ({ path, key: path.slice(bucket.length + 1), content }))
    .filter(({ path, key }) => path.startsWith(listed) && key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = left.slice(0, s3.keysPerPage);
  const contents = page.map(
    ({ key, content }) =>
      `<Contents><Key>${key}</Key><ETag>&quot;${s3.etagOf(content)}&quot;</ETag><Size>${content.length}</Size></Contents>`,
  );
  const next =
    left.length > page.length ? `<NextContinuationToken>${page.at(-1)?.key}</NextContinuationToken>` : '';
  return {
    status: 200,
    body: `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  };
}
