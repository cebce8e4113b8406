import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter as headerGetter,
  SpanKind as Kind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
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
import type { Logger } from 'pino';
import { VERSION } from './own-files.ts';
import { RepeatedFault } from './shared/repeated-fault.ts';
import { withTimeout } from './shared/timeout.ts';
import { type Attributes, type Span, traceWith } from './shared/tracing.ts';

/** The longest text of an attribute, and the longest name, in characters: clients write both in part. */
const MAX_TEXT = 2_000;
const MAX_NAME = 200;
/** How long a stop waits until the last spans are sent, in milliseconds. */
const STOP_TIMEOUT = 2_000;
/** After how long without a failure the collector counts as reached, for the log, in milliseconds. */
const FAULT_ENDS_AFTER = 60_000;

const kinds = { server: Kind.SERVER, client: Kind.CLIENT, internal: Kind.INTERNAL };

function bounded(attributes: Attributes): Attributes {
  const entries = Object.entries(attributes);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]),
  );
}

/** Sends traces by OpenTelemetry's SDK, which reads the variables OTEL_… itself. Loaded only if it is used. */
export function startTracing(log: Logger): void {
  const fault = new RepeatedFault(log, 'traces cannot be sent', FAULT_ENDS_AFTER);
  setGlobalErrorHandler((error) => fault.occurred(error));
  const own = resourceFromAttributes({ 'service.name': 'linkspace', 'service.version': VERSION });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const sdk = provider.getTracer('linkspace', VERSION);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Open>();
  /** What still runs: timers of other work may have been set in what has ended. */
  const running = () => {
    let open = current.getStore();
    while (open?.hasEnded) open = open.parent instanceof Open ? open.parent : undefined;
    return open;
  };

  /** A span, which the SDK gets to know when it has a part, or ends. */
  class Open implements Span {
    hasEnded = false;
    readonly #kind: Kind;
    readonly #name: string;
    readonly #attributes: Attributes;
    readonly parent: Open | Context;
    /** When the clock that only goes forward began, so that the times of a trace fit to each other. */
    readonly #epoch: number;
    readonly #startedAt = performance.now();
    #span: OtelSpan | undefined;

    constructor(kind: Kind, name: string, attributes: Attributes, parent: Open | Context) {
      this.#kind = kind;
      this.#name = name.slice(0, MAX_NAME);
      this.#attributes = attributes;
      this.parent = parent;
      this.#epoch = parent instanceof Open ? parent.#epoch : Date.now() - performance.now();
    }

    get span(): OtelSpan {
      if (this.#span) return this.#span;
      const parent = this.parent instanceof Open ? this.parent.context : this.parent;
      const startTime = this.#epoch + this.#startedAt;
      const attributes = bounded(this.#attributes);
      this.#span = sdk.startSpan(this.#name, { kind: this.#kind, startTime, attributes }, parent);
      return this.#span;
    }

    get context(): Context {
      return trace.setSpan(ROOT_CONTEXT, this.span);
    }

    get traceId(): string {
      return this.span.spanContext().traceId;
    }

    run<T>(work: () => T): T {
      return current.run(this, work);
    }

    add(name: string, seconds: number, attributes: Attributes): void {
      if (!this.span.isRecording()) return;
      const end = this.#epoch + performance.now();
      const given = { kind: Kind.CLIENT, startTime: end - seconds * 1000, attributes: bounded(attributes) };
      sdk.startSpan(name, given, this.context).end(end);
    }

    end(attributes: Attributes = {}, { name = '', hasFailed = false } = {}): void {
      this.span.setAttributes(bounded(attributes));
      if (name !== '') this.span.updateName(name.slice(0, MAX_NAME));
      if (hasFailed) this.span.setStatus({ code: SpanStatusCode.ERROR });
      this.close();
    }

    /** Ends it, unless it had no part. */
    close(): void {
      this.#span?.end(this.#epoch + performance.now());
      this.hasEnded = true;
    }
  }

  traceWith({
    begin(kind, name, attributes, headers) {
      const origin = headers ? propagator.extract(ROOT_CONTEXT, headers, headerGetter) : ROOT_CONTEXT;
      return new Open(kinds[kind], name, attributes, (kind === 'internal' && running()) || origin);
    },
    reading(name, work) {
      const parent = running();
      if (!parent?.span.isRecording()) return work();
      const open = new Open(Kind.INTERNAL, name, {}, parent);
      const result = open.run(work);
      if (result instanceof Promise) {
        const close = () => open.close();
        result.then(close, close);
      } else open.close();
      return result;
    },
    statement(sql, seconds, system) {
      const [operation = 'SQL'] = /[A-Z]+/.exec(sql) ?? [];
      running()?.add(operation, seconds, {
        ...{ 'db.system.name': system, 'db.operation.name': operation, 'db.query.text': sql },
      });
    },
    traceId: () => running()?.traceId,
    async stop() {
      await withTimeout(STOP_TIMEOUT, provider.shutdown());
    },
  });
}
