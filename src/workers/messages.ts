import type { Registry } from 'prom-client';

/** The metrics of a registry, as JSON. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A request of the primary to a worker. */
export interface MetricsRequest {
  readonly id: number;
}

/** A message of a worker to the primary: that it serves, or its metrics with the id of the request. */
export type WorkerMessage =
  | { readonly ready: true }
  | { readonly metrics: MetricValues; readonly id: number };
