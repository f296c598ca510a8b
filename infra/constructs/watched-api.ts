import { Duration } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  type HttpRoute,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  MappingValue,
  ParameterMapping,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';
import { logKeptFor } from './log-retention.ts';
import type { Operators } from './operators.ts';

/** Responses with 4xx within five minutes that fire the alarm: more than a few callers cause by mistake. */
const REFUSALS = 1000;

/** Responses with 5xx within five minutes that fire the alarm. */
const FAILURES = 5;

interface WatchedApiProps {
  stage: Stage;
  operators: Operators;
  name: string;
  description: string;
  /** Gets every accepted request, on any path. It routes and authorizes them itself. */
  handler: IFunction;
  /** Authorizes requests on every path except `openPaths`. Without it, the API authorizes none. */
  authorizer?: IHttpRouteAuthorizer;
  /** Paths without the authorizer, such as `/a/{token}`. Each has its own limit, so a flood on others does not block it. */
  openPaths?: readonly string[];
  requests: { perSecond: number; burst: number };
  /** The text of the alarm on responses with 5xx. */
  errorImpact: string;
  /** The text of the alarm on responses with 4xx. */
  refusalImpact: string;
}

/** A public HTTP API. Unlike a function URL, it limits requests before they cost anything, and has an access log. */
export class WatchedApi extends Construct {
  /** Without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: WatchedApiProps) {
    super(scope, id);
    const { operators, name, description, handler, authorizer, openPaths = [], errorImpact } = props;
    const integration = new HttpLambdaIntegration('Function', handler, {
      // The response, the log of the function and the access log have the same id.
      parameterMapping: new ParameterMapping().overwriteHeader(
        'x-request-id',
        MappingValue.contextVariable('requestId'),
      ),
    });
    const api = new HttpApi(this, 'Api', {
      apiName: name,
      description,
      createDefaultStage: false,
      defaultIntegration: integration,
      ...(authorizer && { defaultAuthorizer: authorizer }),
    });
    this.url = api.apiEndpoint;
    const open = { methods: [HttpMethod.ANY], integration, authorizer: new HttpNoneAuthorizer() };
    const routes = openPaths.flatMap((path) => api.addRoutes({ path, ...open }));
    const accessLog = logKeptFor(props.stage, this, 'AccessLog');
    this.#addStage(api, routes, accessLog, props);
    operators.watch(this, 'Failing', {
      metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      threshold: FAILURES,
      meaning: errorImpact,
    });
    operators.watch(this, 'Refusing', {
      metric: api.metricClientError({ period: Duration.minutes(5), statistic: 'Sum' }),
      threshold: REFUSALS,
      meaning: props.refusalImpact,
    });
  }

  #addStage(
    httpApi: HttpApi,
    routes: HttpRoute[],
    accessLog: LogGroup,
    { requests, openPaths = [] }: WatchedApiProps,
  ): void {
    const live = new HttpStage(this, 'Stage', {
      httpApi,
      autoDeploy: true,
      throttle: { rateLimit: requests.perSecond, burstLimit: requests.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: ACCESS_LOG,
      },
    });
    const limits = { ThrottlingRateLimit: requests.perSecond, ThrottlingBurstLimit: requests.burst };
    const { defaultChild } = live.node;
    if (openPaths.length === 0 || !(defaultChild instanceof CfnStage)) return;
    defaultChild.routeSettings = Object.fromEntries(openPaths.map((path) => [`ANY ${path}`, limits]));
    // API Gateway refuses settings of a route that does not exist yet.
    live.node.addDependency(...routes);
  }
}

/** Without query and path: legacy keys are in the query or, if a caller forgets the question mark, in the path. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    caller: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    status: '$context.status',
    bytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    integrationStatus: '$context.integrationStatus',
    functionError: '$context.integrationErrorMessage',
  }),
);
