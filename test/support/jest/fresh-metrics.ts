import { registry } from '../../../src/lib/telemetry/metrics.js';

// The modules of a file that ran before are those of this one, and have counted.
for (const { name } of registry.getMetricsAsArray()) {
  const isSetOnce = name === 'formgate_build_info';
  if (name.startsWith('formgate_') && !isSetOnce) registry.getSingleMetric(name)?.reset();
}
