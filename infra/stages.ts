/** One deployment of the whole system. All that differs between deployments is here. */
export interface Stage {
  /** Part of every name; lower-case letters and dashes. */
  name: string;
  dataAccess: DataAccess;
  respond: Respond;
  /** The Secrets Manager secret that holds its API key; created by hand, so that no deployment ever sees the key. */
  apiKeySecret: string;
  /** Of the calls that the interface allows (by default 5 a second and 500 an hour), how many may be made. */
  calls: { perSecond: number; perHour: number };
  /** Who hears when the system itself fails: a mailbox, for Slack may be what fails. */
  operators: string;
  /** Whether what is stored outlives its stack, and the table can be restored to any second of the last 35 days. */
  keepState: boolean;
  logDays: 7 | 90;
  /**
   * Whether calls at once are reserved for judging and announcing, so that nothing else in the account can take them all.
   * A new account may have a limit of 10, of which Lambda reserves none: there, a deployment fails with this.
   */
  reservesConcurrency: boolean;
}

/**
 * Who speaks the data access interface: any service by its root, or one of the stage's own, on Athena. `comparesUsers`:
 * user analytics take `comparison`, as ours do and the interface does not ask for; a question about users is then one
 * call and not two.
 */
type DataAccess = { kind: 'elsewhere'; url: string; comparesUsers?: boolean } | OwnDataAccess;

export interface OwnDataAccess {
  kind: 'own';
  /** The first UTC day of all apps, `YYYY-MM-DD`; what was recorded before is not seen. */
  firstDay: string;
  /** What one query may read before it is stopped: Athena charges by it. */
  gigabytesPerQuery: number;
  /** What all queries of an hour may read before operators hear of it; nothing is stopped. */
  gigabytesPerHour: number;
  /** Of all callers together, good keys or not. */
  requests: { perSecond: number; burst: number };
  /** Whose pages may read answers in a browser, as `https://example.com`. */
  corsOrigins: string[];
}

/** Where people look at alerts and answer them. The secrets are created by hand, as the key is. */
interface Respond {
  /** What signs the links of messages: a line a key, of which the first signs and all are accepted. */
  signingSecret: string;
  /** The signing secret of a Slack app whose buttons answer; left out where messages carry links alone. */
  slackSigningSecret?: string;
  access: Access;
  /** Where a name or a proxy of yours stands before it, `https://alerts.example.com`; else as AWS named it. */
  publicUrl?: string;
  /** Of all callers together, and again for each path that a link or Slack leads to. */
  requests: { perSecond: number; burst: number };
}

/**
 * Who may look. `session`: whoever opened a link of `deltawatch open`, which `secret` signs, as it signs the session; a
 * secret apart, so that the function that sends messages cannot sign anybody in. `iam` and `oidc`: whom the API lets in by the
 * signature or the token of each request, which takes a proxy that adds them. Links of messages are good for what they
 * say either way.
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
