import * as z from 'zod';

/** The response of Trino to a statement and to each `nextUri`. */
const pageSchema = z.object({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z.object({ message: z.string(), errorName: z.string(), errorType: z.string() }).optional(),
  stats: z.object({ processedBytes: z.number(), physicalInputBytes: z.number() }),
});
type Page = z.output<typeof pageSchema>;

export interface Result {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly bytesScanned: number;
}

/** A statement that Trino rejected or aborted. `kind` is Trino's error name, such as `COLUMN_NOT_FOUND`. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly kind: string;
  readonly type: string;

  constructor(message: string, kind: string, type: string) {
    super(message);
    this.kind = kind;
    this.type = type;
  }
}

export interface Session {
  /** The address of Trino, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly catalog?: string | undefined;
  readonly schema?: string | undefined;
}

/** Runs one statement to its end. Aborting `signal` cancels it in Trino. Throws `StatementError`. */
export async function runStatement(session: Session, sql: string, signal?: AbortSignal): Promise<Result> {
  const headers = {
    'X-Trino-User': 'test',
    ...(session.catalog && { 'X-Trino-Catalog': session.catalog }),
    ...(session.schema && { 'X-Trino-Schema': session.schema }),
  };
  let columns: Result['columns'] = [];
  const rows: unknown[][] = [];
  let page = await request(`${session.url}/v1/statement`, { method: 'POST', headers, body: sql });
  for (;;) {
    const { error } = page;
    if (error) throw new StatementError(error.message, error.errorName, error.errorType);
    columns = page.columns ?? columns;
    rows.push(...(page.data ?? []));
    if (page.nextUri === undefined) return { columns, rows, bytesScanned: page.stats.physicalInputBytes };
    const uri = page.nextUri;
    try {
      page = await request(uri, { headers, signal: signal ?? null });
    } catch (error) {
      await fetch(uri, { method: 'DELETE', headers });
      throw error;
    }
  }
}

async function request(url: string, init: RequestInit): Promise<Page> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`Trino answered ${response.status}: ${await response.text()}`);
  return pageSchema.parse(await response.json());
}
