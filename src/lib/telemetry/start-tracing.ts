import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  parseKeyPairsIntoRecord,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { limitLog } from './limited-log.js';
import type { Logger } from './logger.js';
import { setTracing } from './tracing.js';
import { VERSION } from './version.js';

/** For how long a stop waits for the last spans to be sent. */
const FLUSH_TIMEOUT_MS = 1_000;

/** How spans are sent; the exporter reads everything else from OpenTelemetry's variables. */
export type Export = Readonly<{ protocol: 'http/protobuf' | 'http/json'; headers: string | undefined }>;

async function createExporter({ protocol, headers: written }: Export): Promise<SpanExporter> {
  const headers = parseKeyPairsIntoRecord(written);
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter({ headers });
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ headers });
}

/**
 * Begins to trace this process and to send its spans over OTLP. Import this module only to do so: it loads all of
 * OpenTelemetry.
 *
 * @param serviceName Where neither OTEL_SERVICE_NAME nor OTEL_RESOURCE_ATTRIBUTES gives one.
 * @returns the function that sends the last spans, for a second at most, and ends it.
 */
export async function startTracing(
  serviceName: string,
  settings: Export,
  log: Logger,
): Promise<() => Promise<void>> {
  const warn = limitLog(log);
  setGlobalErrorHandler((error) => warn(error, 'Spans not exported'));
  const own = resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await createExporter(settings))],
  });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  setTracing({ api, tracer: provider.getTracer('formgate', VERSION) });
  return async () => {
    setTracing(null);
    const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS));
    await Promise.race([timeout, provider.shutdown()]).catch((error) => warn(error, 'Spans not exported'));
  };
}
