import type { Registry } from 'prom-client';

/** What a registry of metrics has, as JSON. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What the primary asks a worker for. */
export interface Question {
  readonly asked: 'metrics';
  readonly id: number;
}

/** What a worker tells the primary: that it serves, or its metrics, with the id of the question. */
export type Told = { readonly ready: true } | { readonly metrics: MetricValues; readonly id: number };
