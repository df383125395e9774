import type * as Api from '@opentelemetry/api';
import { causeOf } from './cause.js';

/** OpenTelemetry's API, with the tracer of this process. */
export type Tracing = Readonly<{ api: typeof Api; tracer: Api.Tracer }>;

type Options = Readonly<{
  kind?: keyof typeof Api.SpanKind;
  attributes?: Api.Attributes;
  /** A `traceparent` of another process, in place of the active span; null begins a trace. */
  parent?: string | null;
}>;

/** Adds attributes to a span. `error.type` marks it as failed. */
type Annotate = (attributes: Api.Attributes) => void;

/** Of the process, as the metrics are. Null: nothing is traced, and OpenTelemetry's SDK is not loaded. */
let current: Tracing | null = null;

export const tracing = (): Tracing | null => current;

/** Traces from now on; null ends it. */
export function setTracing(next: Tracing | null): void {
  current = next;
}

/** Runs work as a span, which fails with it. While nothing is traced it only runs it. */
export async function inSpan<T>(
  name: string,
  { kind = 'INTERNAL', attributes, parent }: Options,
  work: (annotate: Annotate) => Promise<T>,
): Promise<T> {
  if (!current) return work(() => undefined);
  const { api, tracer } = current;
  const outer =
    parent === undefined
      ? api.context.active()
      : api.propagation.extract(api.ROOT_CONTEXT, { traceparent: parent ?? undefined });
  const span = tracer.startSpan(name, { kind: api.SpanKind[kind], attributes }, outer);
  const annotate: Annotate = (more) => {
    span.setAttributes(more);
    if (more['error.type'] !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
  };
  try {
    return await api.context.with(api.trace.setSpan(outer, span), () => work(annotate));
  } catch (error) {
    // The error's words may hold what a visitor typed.
    annotate({ 'error.type': causeOf(error).cause });
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the id of the active trace, for the log; undefined while nothing is traced. */
export const activeTraceId = (): string | undefined =>
  current?.api.trace.getActiveSpan()?.spanContext().traceId;

/** Returns the active span as a `traceparent` (W3C Trace Context), for another process to continue. */
export function activeTraceParent(): string | null {
  if (!current) return null;
  const carrier: { traceparent?: string } = {};
  current.api.propagation.inject(current.api.context.active(), carrier);
  return carrier.traceparent ?? null;
}
