/** What a span says; undefined ones are left out. Nobody's secrets: no values of queries and statements, no addresses. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export type SpanKind = 'server' | 'client' | 'internal';

/** A part of a trace, which lasts until its end. */
export interface Span {
  readonly traceId: string;
  /** Runs the work, whose spans become parts of this one. */
  run<T>(work: () => T): T;
  /** @param name in place of the first one, if more is known now */
  end(attributes?: Attributes, how?: { readonly name?: string; readonly hasFailed?: boolean }): void;
}

/** Tells a collector what the service does: see otel.ts. */
export interface Tracer {
  /**
   * Begins a span: one of the current span, or of another kind than `internal`, the first one here.
   * @param headers of the request that it answers, which may be a part of its client's trace
   */
  begin(kind: SpanKind, name: string, attributes: Attributes, headers?: object): Span;
  /** Runs work that becomes a span of the current one if it reads from the database. */
  reading<T>(name: string, work: () => T): T;
  /** Adds a statement, which has just ended, to the current span. */
  statement(sql: string, seconds: number, system: string): void;
  /** The trace of the current span. */
  traceId(): string | undefined;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
export let tracer: Tracer | undefined;

export function traceWith(one: Tracer): void {
  tracer = one;
}

/** Runs the work in a span, if there is a tracer. @param outcome what the span says of the result */
export function traced<T>(
  kind: SpanKind,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  outcome?: (result: T) => Attributes,
): Promise<T> {
  if (tracer === undefined) return work();
  const span = tracer.begin(kind, name, attributes);
  return span.run(work).then(
    (result) => {
      const found = outcome?.(result);
      span.end(found, { hasFailed: found?.['error.type'] !== undefined });
      return result;
    },
    (error: unknown) => {
      // Its message may repeat what a client or a link's owner wrote.
      span.end({ 'error.type': error instanceof Error ? error.name : 'unknown' }, { hasFailed: true });
      throw error;
    },
  );
}
