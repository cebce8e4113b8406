import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import {
  diag,
  defaultTextMapGetter as headerGetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { oneLine } from './one-line.ts';
import { VERSION } from './own-files.ts';
import { RepeatedFault } from './repeated-fault.ts';
import { withTimeout } from './timeout.ts';

/** The longest text of an attribute, in characters: statements are long, and clients write paths. */
const MAX_TEXT = 2_000;
/** Milliseconds for which a stop waits until the last spans are sent. */
const STOP_TIMEOUT = 2_000;
/** After how long without a failure the collector counts as reached, for the log, in milliseconds. */
const FAULT_ENDS_AFTER = 60_000;

/**
 * Attributes of a span; undefined ones are left out. They hold no secrets, values of queries and statements, or
 * addresses.
 */
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Creates OpenTelemetry's provider of traces. Its faults and warnings are logged, seldom. */
function createProvider(log: Logger): BasicTracerProvider {
  const fault = new RepeatedFault(log, 'traces cannot be sent', FAULT_ENDS_AFTER);
  setGlobalErrorHandler((error) => fault.occurred(error));
  const warnings = new RepeatedFault(log, 'OpenTelemetry warns', FAULT_ENDS_AFTER);
  const warn = (...words: unknown[]) =>
    warnings.occurred(undefined, () => ({ reason: words.map(oneLine).join(' ') }));
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore });
  const own = resourceFromAttributes({ 'service.name': 'linkspace', 'service.version': VERSION });
  return new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
}

const propagator = new W3CTraceContextPropagator();
const current = new AsyncLocalStorage<Span>();

/** Returns the running span. Timers may have been set in a span that has ended. */
function findRunning(): Span | undefined {
  let span = current.getStore();
  while (span?.hasEnded) span = span.parent;
  return span;
}

/** A part of a trace, which lasts until its end. The SDK gets to know it when it has a part itself, or ends. */
class Span {
  hasEnded = false;
  readonly parent: Span | undefined;
  readonly #begin: () => OtelSpan;
  /** The `Date.now()` at which the monotonic clock began, so that the times of a trace fit together. */
  readonly #epoch: number;
  #span: OtelSpan | undefined;

  /** @param carrier says of which trace it is a part, if it has no parent */
  constructor(sdk: Tracer, name: string, options: SpanOptions, parent?: Span, carrier: object = {}) {
    this.parent = parent;
    this.#epoch = parent ? parent.#epoch : Date.now() - performance.now();
    const startTime = this.now();
    this.#begin = () => {
      const context = parent?.context ?? propagator.extract(ROOT_CONTEXT, carrier, headerGetter);
      return sdk.startSpan(name, { ...options, startTime }, context);
    };
  }

  now(): number {
    return this.#epoch + performance.now();
  }

  get span(): OtelSpan {
    this.#span ??= this.#begin();
    return this.#span;
  }

  get context() {
    return trace.setSpan(ROOT_CONTEXT, this.span);
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  /** Runs the work, whose spans become parts of this one. */
  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  /** Adds to what it says; with an `error.type`, that it failed. @param name in place of the first one, if more is known now */
  note(attributes: Attributes, name?: string): void {
    this.span.setAttributes(attributes);
    if (name !== undefined) this.span.updateName(name);
    if (attributes['error.type'] !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  /** Runs work until whose end it lasts. */
  async during<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      return await this.run(work);
    } catch (error) {
      // Its message may repeat what a client or a link's owner wrote.
      this.note({ 'error.type': error instanceof Error ? error.name : 'unknown' });
      throw error;
    } finally {
      this.end();
    }
  }

  end(): void {
    this.span.end(this.now());
    this.hasEnded = true;
  }

  /** Ends it, unless it had no part. */
  endIfUsed(): void {
    if (this.#span) this.end();
    this.hasEnded = true;
  }
}

/** Sends traces by OpenTelemetry's SDK, which reads the variables OTEL_… itself. */
export function createTracer(log: Logger) {
  const provider = createProvider(log);
  const sdk = provider.getTracer('linkspace', VERSION);

  return {
    /** Begins the span of a request, which may be a part of its client's trace. A `tracestate` would be sent on as it is. */
    request: (method: string, { traceparent }: IncomingHttpHeaders) =>
      new Span(sdk, method, { kind: SpanKind.SERVER }, undefined, { traceparent }),
    operation<T>({ operation: type, name }: OperationDefinitionNode, work: () => Promise<T> | T): Promise<T> {
      const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': name?.value };
      const span = new Span(sdk, [type, name?.value].join(' ').trim(), { attributes }, findRunning());
      return span.during(work);
    },
    /** Runs an attempt to call another service, which begins a trace. */
    call<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
      return new Span(sdk, name, { kind: SpanKind.CLIENT, attributes }).during(work);
    },
    /** Runs work that becomes a span of the current one if it reads from the database. */
    reading<T>(name: string, work: () => T): T {
      const parent = findRunning();
      if (!parent?.span.isRecording()) return work();
      const span = new Span(sdk, name, {}, parent);
      const end = () => span.endIfUsed();
      const result = span.run(work);
      if (result instanceof Promise) result.then(end, end);
      else end();
      return result;
    },
    /** Adds a statement, which has just ended, to the current span. */
    statement(sql: string, seconds: number, system: string): void {
      const span = findRunning();
      if (!span?.span.isRecording()) return;
      const [operation = 'SQL'] = /[A-Z]+/.exec(sql) ?? [];
      const attributes = { 'db.system.name': system, 'db.operation.name': operation, 'db.query.text': sql };
      const end = span.now();
      const options = { kind: SpanKind.CLIENT, startTime: end - seconds * 1000, attributes };
      sdk.startSpan(operation, options, span.context).end(end);
    },
    /** Adds to what the current span says. */
    note: (attributes: Attributes) => findRunning()?.note(attributes),
    traceId: () => findRunning()?.traceId,
    /** Sends what is left. */
    stop: () => withTimeout(STOP_TIMEOUT, provider.shutdown()),
  };
}
