import { VERSION } from '../../lib/telemetry/version.js';
import { type Answer, jsonAnswer, object, operation, type Piece } from '../openapi.js';

const tag = 'Operations';
const liveness = object({ status: { const: 'ok' }, version: { type: 'string' } });
const state = { enum: ['ok', 'away', 'behind', 'full', 'read_only'] };
const readiness = object({ database: state, queue: state });
const draining = object({ process: { const: 'draining' } });

const prometheusText: Answer = {
  description: 'The metrics of this process and of the installation.',
  content: { 'text/plain': { schema: { type: 'string' } } },
};

/** Health checks and metrics. */
export const healthPiece: Piece = {
  tag: { name: tag, description: 'For operators of the gateway.' },
  paths: {
    '/healthz': {
      get: operation({
        operationId: 'isAlive',
        tag,
        summary: 'Whether the process lives, and its version',
        security: [],
        errors: [],
        answers: { 200: jsonAnswer('It does.', liveness, { status: 'ok', version: VERSION }) },
      }),
    },
    '/readyz': {
      get: operation({
        operationId: 'isReady',
        tag,
        summary: 'Whether all is well',
        security: [],
        errors: [],
        description:
          '200 only when a submission would be recorded and handed over: the check writes to both. A database is `behind` when it lacks a migration that this process needs; what refuses writes is `full` or `read_only`. Submissions are still accepted while only the queue is not `ok`. A process that is about to stop is `draining`; it serves on for `DRAIN_DELAY_S`. A worker adds `mail`.',
        answers: {
          200: jsonAnswer('All is well.', readiness, { database: 'ok', queue: 'ok' }),
          503: jsonAnswer(
            'Something is away, or the process is about to stop.',
            { anyOf: [readiness, draining] },
            { database: 'ok', queue: 'away' },
          ),
        },
      }),
    },
    '/metrics': {
      get: operation({
        operationId: 'readMetrics',
        tag,
        summary: 'Metrics in the text format of Prometheus',
        description: 'Served only where `METRICS_TOKEN` is set; the token goes where a bearer token goes.',
        security: [{ metricsToken: [] }],
        answers: { 200: prometheusText },
        errors: ['Unauthenticated', 'NotFound', 'ServerError'],
      }),
    },
  },
};
