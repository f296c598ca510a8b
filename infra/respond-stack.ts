import { join } from 'node:path';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE } from '../shared/adapters/dynamodb/table.ts';
import { Operators } from './constructs/operators.ts';
import { WatchedApi } from './constructs/watched-api.ts';
import { WatchedFunction } from './constructs/watched-function.ts';
import type { Access, Stage } from './stages.ts';

/** A second under what the API waits for. */
const TIMEOUT = Duration.seconds(29);

/** What proves itself: links by their signature, Slack by its own. And what is for everybody. */
const OPEN_PATHS = [
  ...['/a/{token}', '/p/{token}', '/slack/interactions'],
  ...['/style.css', '/icon.svg', '/page.js', '/healthz'],
];

interface RespondStackProps {
  stage: Stage;
  table: TableV2;
  /** The folder of the bundles, one folder a function. */
  bundles: string;
}

/** Where people look at alerts and answer them. Keeps nothing: all that is answered is in the table. */
export class RespondStack extends Stack {
  /** Root of the page and of all links, without a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { stage, table, bundles }: RespondStackProps) {
    super(scope, id, { description: `Deltawatch (${stage.name}): page, pictures and answers` });
    const { signingSecret, slackSigningSecret, access, publicUrl, requests } = stage.respond;
    const operators = new Operators(this, 'Operators', { mailbox: stage.operators });
    const respond = new WatchedFunction(this, 'respond', {
      stage,
      operators,
      bundle: join(bundles, 'respond'),
      errorImpact: 'Nobody can look at alerts or answer them; messages go out without pictures.',
      timeout: TIMEOUT,
      // A picture is drawn while Slack waits for it, and processor comes with memory.
      megabytes: 1024,
      environment: {
        TABLE_NAME: table.tableName,
        SIGNING_SECRET: signingSecret,
        ...(slackSigningSecret !== undefined && { SLACK_SIGNING_SECRET: slackSigningSecret }),
        ...(access.kind === 'session'
          ? { ACCESS: 'session', SESSION_SECRET: access.secret }
          : { ACCESS: 'authorized' }),
        CALLS_PER_HOUR: String(stage.calls.perHour),
      },
    });
    const api = new WatchedApi(this, 'Answers', {
      stage,
      operators,
      name: `deltawatch-${stage.name}-respond`,
      description: `Page, pictures and answers of Deltawatch (${stage.name})`,
      handler: respond,
      ...authorizerOf(access),
      openPaths: OPEN_PATHS,
      requests,
      errorImpact:
        'Whoever looks at alerts or answers them gets failures. The log of respond has each by its request id.',
      refusalImpact:
        'Very many requests are refused: somebody tries links or sessions, or more come than are let in. Answers by links have limits of their own, and go on unless it is those.',
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The function asks for a session, the signature of a link or that of Slack. Open paths hold nothing of the stage.',
    });
    this.url = publicUrl ?? api.url;
    respond.addEnvironment('PUBLIC_URL', this.url);
    respond.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    respond.allowWriting(table, { PutItem: ['ALERT#*', 'SILENCES', 'LINK#*'] });
    const indices = [TABLE.pendingIndex, TABLE.openIndex].map(
      ({ name }) => `${table.tableArn}/index/${name}`,
    );
    respond.allow(['dynamodb:Query'], ...indices);
    respond.allowSecrets([
      signingSecret,
      ...(access.kind === 'session' ? [access.secret] : []),
      ...(slackSigningSecret === undefined ? [] : [slackSigningSecret]),
    ]);
    new CfnOutput(this, 'Url', { value: this.url, description: 'The page, and the root of all links' });
    if (publicUrl !== undefined)
      new CfnOutput(this, 'Origin', { value: api.url, description: `What ${publicUrl} is to hand on to` });
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
