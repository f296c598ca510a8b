import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  MappingValue,
  ParameterMapping,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import type { Operators } from './operators.ts';

/** Answers of 500 and above within five minutes that are more than bad luck. */
const FAILURES = 5;

interface WatchedApiProps {
  stage: Stage;
  operators: Operators;
  name: string;
  description: string;
  /** Gets every request that is let in, whatever its path: it knows its endpoints, and who may call those. */
  handler: IFunction;
  /** Who is let in at all; everybody without it. */
  guard?: Guard;
  requests: { perSecond: number; burst: number };
  /** What people miss while it fails; the text of the alarm. */
  errorImpact: string;
}

/** Who the API itself asks for, on every path but these. */
export interface Guard {
  authorizer: IHttpRouteAuthorizer;
  /** As routes of an HTTP API are written: `/a/{token}`. */
  openPaths: readonly string[];
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
    const { stage, operators, name, description, handler, guard, requests, errorImpact } = props;
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
      ...(guard && { defaultAuthorizer: guard.authorizer }),
    });
    this.url = api.apiEndpoint;
    for (const path of guard?.openPaths ?? [])
      api.addRoutes({ path, methods: [HttpMethod.ANY], integration, authorizer: new HttpNoneAuthorizer() });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      autoDeploy: true,
      throttle: { rateLimit: requests.perSecond, burstLimit: requests.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.#accessLog(stage)),
        format: ACCESS_LOG,
      },
    });
    operators.watch(this, 'Failing', {
      metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      when: 'reaches',
      threshold: FAILURES,
      periods: 1,
      meaning: errorImpact,
    });
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
    functionError: '$context.integrationErrorMessage',
  }),
);
