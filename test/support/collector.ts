import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string };
}

interface Message {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        traceState: string;
        spanId: string;
        parentSpanId: string;
        name: string;
        kind: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
        status?: { code?: string };
      }[];
    }[];
  }[];
}

/** The part of protobufjs's code for OpenTelemetry's own messages that is used. Newer versions of that package only write. */
interface Messages {
  opentelemetry: {
    proto: {
      collector: {
        trace: {
          v1: {
            ExportTraceServiceRequest: {
              decode(bytes: Buffer): object;
              toObject(message: object, how: object): Message;
            };
          };
        };
      };
    };
  };
}

const messages: Messages = createRequire(import.meta.url)('otlp-messages/build/src/generated/root.js');
const { ExportTraceServiceRequest } = messages.opentelemetry.proto.collector.trace.v1;

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const fieldsOf = (attributes: Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );

function spansOf(body: Buffer) {
  const how = { bytes: String, longs: String, enums: String, defaults: true };
  return ExportTraceServiceRequest.toObject(
    ExportTraceServiceRequest.decode(body),
    how,
  ).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...{ name: span.name, kind: span.kind, hasFailed: span.status?.code === 'STATUS_CODE_ERROR' },
        ...{
          traceState: span.traceState,
          traceId: hexOf(span.traceId),
          id: hexOf(span.spanId),
          parent: hexOf(span.parentSpanId),
        },
        ...{ from: BigInt(span.startTimeUnixNano), to: BigInt(span.endTimeUnixNano) },
        ...{ attributes: fieldsOf(span.attributes), resource: fieldsOf(resource.attributes) },
      })),
  );
}

export type CollectedSpan = ReturnType<typeof spansOf>[number];

/** A collector of traces over OTLP, in protobuf. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** The path and the headers of each request. */
  readonly requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (req, res) => {
      const { url, headers } = req;
      const body: Buffer[] = [];
      for await (const chunk of req) body.push(chunk);
      this.requests.push({ url, headers });
      this.spans.push(...spansOf(Buffer.concat(body)));
      res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
