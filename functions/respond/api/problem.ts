/** The statuses of refused and failed requests, with their titles. */
export const PROBLEMS = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;
export type ProblemStatus = keyof typeof PROBLEMS;

/** A request that is refused or failed. The caller gets its problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}
