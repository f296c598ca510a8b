import { Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import type { Operators } from './operators.ts';
import { metricsNamespace } from './watched-function.ts';

/** Requests refused or turned away within five minutes that are more than a few people's mistakes. */
const REFUSALS = 1000;

/** Requests that the API turned away within five minutes: more than a burst that a patient caller repeats. */
const TURNED_AWAY = 100;

/** Answers of 500 and above within five minutes that are more than bad luck. */
const FAILURES = 5;

interface WatchedApiProps {
  stage: Stage;
  operators: Operators;
  name: string;
  description: string;
  /** Gets every request that is let in, whatever its path: it knows its endpoints, and who may call those. */
  handler: IFunction;
  /** Whom the API itself asks who they are, on every path but `openPaths`; nobody without it. */
  authorizer?: IHttpRouteAuthorizer;
  /**
   * Open to everybody, as routes of an HTTP API are written: `/a/{token}`. Each lets in as many as all other paths
   * together, so that a flood on those leaves it open.
   */
  openPaths?: readonly string[];
  requests: { perSecond: number; burst: number };
  /** What people miss while it fails; the text of the alarm. */
  errorImpact: string;
  /** What it means that very many are refused, the text of another; without it, that is nobody's alarm. */
  refusalImpact?: string;
  /** What it means that callers are turned away before the function is asked, of another; without it, so too. */
  throttledImpact?: string;
}

/**
 * A public address in front of a function, which decides on each request. An HTTP API and not a function's own URL, for
 * it limits what comes in before anybody is paid for it, and keeps a log of what it let pass.
 */
export class WatchedApi extends Construct {
  /** Without a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: WatchedApiProps) {
    super(scope, id);
    const { operators, name, description, handler, authorizer, openPaths = [], errorImpact } = props;
    const integration = new HttpLambdaIntegration('Function', handler, {
      // One id for the answer, the function's log and the log of the API.
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
    const accessLog = this.#accessLog(props.stage);
    this.#addStage(api, routes, accessLog, props);
    operators.watch(this, 'Failing', {
      metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      when: 'reaches',
      threshold: FAILURES,
      periods: 1,
      meaning: errorImpact,
    });
    if (props.refusalImpact !== undefined)
      operators.watch(this, 'Refusing', {
        metric: api.metricClientError({ period: Duration.minutes(5), statistic: 'Sum' }),
        when: 'reaches',
        threshold: REFUSALS,
        periods: 1,
        meaning: props.refusalImpact,
      });
    if (props.throttledImpact !== undefined)
      operators.watch(this, 'TurningAway', {
        metric: this.#turnedAway(accessLog, props),
        when: 'reaches',
        threshold: TURNED_AWAY,
        periods: 1,
        meaning: props.throttledImpact,
      });
  }

  /** The API counts no 429 by itself. Those of the function, which counts by key, have the status of its call beside them. */
  #turnedAway(accessLog: LogGroup, { stage, name }: WatchedApiProps): Metric {
    const filter = accessLog.addMetricFilter('TurnedAway', {
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.status', '=', '429'),
        FilterPattern.stringValue('$.integrationStatus', '!=', '200'),
      ),
      metricNamespace: metricsNamespace(stage),
      metricName: `TurnedAway-${name}`,
    });
    return filter.metric({ period: Duration.minutes(5), statistic: 'Sum' });
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
    // A setting for a route that is not there yet is refused.
    live.node.addDependency(...routes);
  }

  #accessLog(stage: Stage): LogGroup {
    return new LogGroup(this, 'AccessLog', {
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
}

/** Neither query nor path: keys travel in the one and, where the question mark was forgotten, in the other. */
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
