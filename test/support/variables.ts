import { readFileSync } from 'node:fs';

const source = readFileSync('src/variables.ts', 'utf8');

/** Names of the variables that Formgate reads. */
export const VARIABLES = [...source.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!);

/** Of these, the ones that may be given as the name of a file: `APP_KEY_FILE` in place of `APP_KEY`. */
export const SECRETS = [.../^const SECRETS = \[(.*?)\]/ms.exec(source)![1]!.matchAll(/'(\w+)'/g)].map(
  ([, name]) => name!,
);

/** Variables that Node.js and OpenTelemetry's SDK read in Formgate's processes. */
const OF_THE_RUNTIME = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_EXPORT_TIMEOUT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
];

/** Every name under which Formgate reads something from its environment. */
export const READ_NAMES = [...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`), ...OF_THE_RUNTIME];

/** Longest stop of a process, after its DRAIN_DELAY_S. */
export const STOP_TIMEOUT_S =
  Number(
    /^const STOP_TIMEOUT_MS = ([\d_]+);/m
      .exec(readFileSync('src/cli/serve.ts', 'utf8'))![1]!
      .replace('_', ''),
  ) / 1000;

/** Port on which workers take delivery reports, unless told otherwise. */
export const BOUNCE_PORT = Number(/^ {2}BOUNCE_PORT: port\.default\((\d+)\)/m.exec(source)![1]);
