import type { createTracer } from './otel.ts';

/** Tells a collector what the service does. */
type Tracer = ReturnType<typeof createTracer>;
export type Span = ReturnType<Tracer['request']>;

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT: then nothing of OpenTelemetry is loaded. */
export let tracer: Tracer | undefined;

export function traceWith(one: Tracer): void {
  tracer = one;
}
