import { readFileSync } from 'node:fs';

const source = readFileSync('src/config.ts', 'utf8');

/** Names of the variables that Formgate reads. */
export const VARIABLES = [...source.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!);

/** Of these, the ones that may be given as the name of a file: `APP_KEY_FILE` in place of `APP_KEY`. */
export const SECRETS = [.../^const SECRETS = \[(.*?)\]/ms.exec(source)![1]!.matchAll(/'(\w+)'/g)].map(
  ([, name]) => name!,
);

/** Variables that OpenTelemetry's SDK reads in Formgate's processes. */
const OF_THE_SDK = [
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
];

/** Every name under which Formgate reads something from its environment. */
export const READ_NAMES = [...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`), ...OF_THE_SDK];

/** Longest stop of a process, after its DRAIN_DELAY_S. */
export const STOP_TIMEOUT_S =
  Number(
    /^const STOP_TIMEOUT_MS = ([\d_]+);/m
      .exec(readFileSync('src/cli/serve.ts', 'utf8'))![1]!
      .replace('_', ''),
  ) / 1000;
