import { Counter, Histogram } from 'prom-client';
import { registry } from '../../../src/lib/telemetry/metrics.js';

// The modules of a file that ran before are those of this one, and have counted.
for (const metric of registry.getMetricsAsArray()) {
  if (metric instanceof Counter || metric instanceof Histogram) metric.reset();
}
