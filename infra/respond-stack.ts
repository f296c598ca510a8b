import { join } from 'node:path';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Access } from '../shared/config/stage.ts';
import { TABLE } from '../shared/store/table-schema.ts';
import { WatchedApi } from './constructs/watched-api.ts';
import { WatchedFunction } from './constructs/watched-function.ts';
import { bundleWith } from './packed-bundle.ts';
import { type PartProps, stackOf } from './stage-props.ts';

const ROLES_FILE = 'roles.json';

/** One second less than the timeout of the API. */
const TIMEOUT = Duration.seconds(29);

/** Paths without the authorizer: links and Slack requests are signed, programs send tokens, the rest is public. */
const OPEN_PATHS = [
  ...['/a/{token}', '/p/{token}', '/slack/interactions', '/slack/commands', '/api/v1/{path+}'],
  ...['/assets/{file}', '/healthz'],
];

interface RespondStackProps extends PartProps {
  table: ITable;
}

/** The page on which people see and answer alerts. Stateless: all state is in the table. */
export class RespondStack extends Stack {
  /** Base URL of the page and of all links, without a trailing slash. */
  readonly url: string;
  readonly function: IFunction;

  constructor(scope: Construct, id: string, { stage, table, operators, bundles }: RespondStackProps) {
    super(scope, id, stackOf(stage, id, 'page, charts and answers'));
    const { signingSecret, slackSigningSecret, access, publicUrl, requests } = stage.respond;
    const bundle = join(bundles, 'respond');
    const roles = access.kind === 'oidc' ? access.roles : undefined;
    const respond = new WatchedFunction(this, 'respond', {
      stage,
      operators,
      bundle: roles ? bundleWith(this, bundle, { name: ROLES_FILE, content: roles }) : bundle,
      errorImpact:
        'The function respond fails. Alerts cannot be viewed or answered. Messages are still sent, but Slack shows them without charts.',
      timeout: TIMEOUT,
      // Slack waits while a chart is drawn, and Lambda allots CPU by memory.
      megabytes: 1024,
      environment: {
        TABLE_NAME: table.tableName,
        STAGE_NAME: stage.name,
        SIGNING_SECRET: signingSecret,
        ...(slackSigningSecret !== undefined && { SLACK_SIGNING_SECRET: slackSigningSecret }),
        ...(access.kind === 'session'
          ? { ACCESS: 'session', SESSION_SECRET: access.secret }
          : { ACCESS: 'authorized' }),
        ...(roles && { ROLES_FILE }),
        CALLS_PER_HOUR: String(stage.calls.perHour),
      },
    });
    this.function = respond;
    const api = new WatchedApi(this, 'Answers', {
      stage,
      operators,
      name: `deltawatch-${stage.name}-respond`,
      description: `Page, charts and answers of Deltawatch (${stage.name})`,
      handler: respond,
      ...authorizerOf(access),
      openPaths: OPEN_PATHS,
      requests,
      errorImpact:
        'The page answered five requests with 5xx within five minutes. People who view or answer alerts get errors. The log of respond has the reason of each, by request id.',
      refusalImpact:
        'The page refused a thousand requests within five minutes: someone is guessing links or sessions, or requests of respond in deltawatch.config.ts is exceeded. Each link path has its own limit, so answers by links still work unless they are the flood. The access log of the API shows caller and status.',
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The function requires a session, a signed link, a request signed by Slack or a token. The other open paths have no data of the stage.',
    });
    this.url = publicUrl ?? api.url;
    respond.addEnvironment('PUBLIC_URL', this.url);
    respond.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    respond.allowWriting(table, {
      PutItem: ['ALERT#*', 'SILENCES', 'NOTES', 'AUDIT', 'LINK#*'],
      // The time when a token was last used, and its rate limit counters.
      UpdateItem: ['KEYS', 'LIMIT#*'],
    });
    const indices = [TABLE.pendingIndex, TABLE.openIndex].map(
      ({ name }) => `${table.tableArn}/index/${name}`,
    );
    respond.allow(['dynamodb:Query'], ...indices);
    respond.allowSecrets([
      signingSecret,
      ...(access.kind === 'session' ? [access.secret] : []),
      ...(slackSigningSecret === undefined ? [] : [slackSigningSecret]),
    ]);
    // The alerting stack imports this until it is deployed with a `publicUrl`, and CloudFormation refuses to remove an
    // export in use.
    this.exportValue(api.url);
    new CfnOutput(this, 'Url', { value: this.url, description: 'URL of the page, and base of all links' });
    if (publicUrl !== undefined)
      new CfnOutput(this, 'Origin', {
        value: api.url,
        description: `The address to which ${publicUrl} must forward requests`,
      });
  }
}

function authorizerOf(access: Access): { authorizer?: IHttpRouteAuthorizer } {
  switch (access.kind) {
    case 'session':
      return {};
    case 'iam':
      return { authorizer: new HttpIamAuthorizer() };
    case 'oidc': {
      const { issuer, audience } = access;
      return { authorizer: new HttpJwtAuthorizer('Oidc', issuer, { jwtAudience: audience }) };
    }
  }
}
