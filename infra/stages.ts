/** One deployment of the whole system, with every setting in which deployments differ. */
export interface Stage {
  /** Part of every resource name: lower-case letters and dashes. */
  name: string;
  dataAccess: DataAccess;
  respond: Respond;
  /** The Secrets Manager secret with the API key. Created by hand, so that no deployment ever sees the key. */
  apiKeySecret: string;
  /** How many calls Deltawatch may make. By default, the service allows 5 per second and 500 per hour. */
  calls: { perSecond: number; perHour: number };
  /** The email address for alarms of the system itself. Not Slack, because Slack may be what fails. */
  operators: string;
  /** Whether the state outlives its stack, and the table can be restored to any second of the last 35 days. */
  keepState: boolean;
  logDays: 7 | 90;
  /**
   * Whether to reserve concurrency for check-rules and notify, so that nothing else in the account can use it all.
   * Fails to deploy in a new account whose concurrency limit is 10, because Lambda keeps those unreserved.
   */
  reservesConcurrency: boolean;
}

/**
 * The data access service: an external one by its base URL, or the stage's own, on Athena. `comparesUsers`: user
 * analytics accept `comparison`, which the interface does not require. A question about users then takes one call
 * instead of two.
 */
type DataAccess = { kind: 'elsewhere'; url: string; comparesUsers?: boolean } | OwnDataAccess;

export interface OwnDataAccess {
  kind: 'own';
  /** The first UTC day of data, `YYYY-MM-DD`. Older data is ignored. */
  firstDay: string;
  /** How much a query may read before it is stopped. Athena charges by bytes read. */
  gigabytesPerQuery: number;
  /** How much all queries of an hour may read before the alarm `EngineSpending` fires. It stops nothing. */
  gigabytesPerHour: number;
  /** Limit for all callers together, whether their keys are valid or not. */
  requests: { perSecond: number; burst: number };
  /** Origins whose pages may read answers in a browser, such as `https://example.com`. */
  corsOrigins: string[];
}

/** The page on which people see and answer alerts. Its secrets are created by hand, like the API key. */
interface Respond {
  /** The secret that signs links in messages: one key per line. The first key signs, and all are accepted. */
  signingSecret: string;
  /** The signing secret of a Slack app with buttons. Leave out if messages only have links. */
  slackSigningSecret?: string;
  access: Access;
  /**
   * The URL of your domain or proxy in front of the API, such as `https://alerts.example.com`. Default: that of AWS.
   */
  publicUrl?: string;
  /** Limit for all callers together, and separately for each path of links and Slack requests. */
  requests: { perSecond: number; burst: number };
}

/**
 * Who may use the page. `session`: people who opened a link of `deltawatch open`. `secret` signs these links and the
 * sessions; it is separate from `signingSecret`, so that notify cannot create sessions. `iam` and `oidc`: the API
 * checks the signature or token of each request, which a proxy has to add. Links in messages work in all cases.
 */
export type Access =
  | { kind: 'session'; secret: string }
  | { kind: 'iam' }
  | { kind: 'oidc'; issuer: string; audience: string[] };

const DATA_ACCESS: OwnDataAccess = {
  kind: 'own',
  firstDay: '2024-01-01',
  gigabytesPerQuery: 50,
  gigabytesPerHour: 500,
  requests: { perSecond: 20, burst: 40 },
  corsOrigins: [],
};

export const STAGES: Stage[] = [
  {
    name: 'staging',
    dataAccess: { ...DATA_ACCESS, gigabytesPerQuery: 5, gigabytesPerHour: 50 },
    respond: {
      signingSecret: 'deltawatch/staging/signing-keys',
      access: { kind: 'session', secret: 'deltawatch/staging/session-keys' },
      requests: { perSecond: 20, burst: 40 },
    },
    apiKeySecret: 'deltawatch/staging/api-key',
    calls: { perSecond: 4, perHour: 400 },
    operators: 'deltawatch-staging@example.com',
    keepState: false,
    logDays: 7,
    reservesConcurrency: false,
  },
  {
    name: 'production',
    dataAccess: DATA_ACCESS,
    respond: {
      signingSecret: 'deltawatch/production/signing-keys',
      access: { kind: 'session', secret: 'deltawatch/production/session-keys' },
      requests: { perSecond: 20, burst: 40 },
    },
    apiKeySecret: 'deltawatch/production/api-key',
    calls: { perSecond: 4, perHour: 400 },
    operators: 'deltawatch@example.com',
    keepState: true,
    logDays: 90,
    reservesConcurrency: true,
  },
];
