const rules: readonly [variables: RegExp, values: RegExp, allowed: string][] = [
  [/^OTEL_EXPORTER_OTLP_(TRACES_)?PROTOCOL$/, /^http\/protobuf$/, 'http/protobuf'],
  [/^OTEL_EXPORTER_OTLP_(TRACES_)?COMPRESSION$/, /^(gzip|none)$/, 'gzip or none'],
  [/^OTEL_TRACES_EXPORTER$/, /^otlp$/, 'otlp or none'],
  [
    /^OTEL_TRACES_SAMPLER$/,
    /^(parentbased_)?(always_on|always_off|traceidratio)$/,
    'always_on, always_off or traceidratio, also with parentbased_ before it',
  ],
  [/^OTEL_TRACES_SAMPLER_ARG$/, /^(0?\.\d+|[01](\.0*)?)$/, 'a number from 0 to 1'],
  [
    /^OTEL_(BSP_MAX_\w+|EXPORTER_OTLP_(TRACES_)?TIMEOUT)$/,
    /^0*[1-9]\d{0,8}$/,
    'a whole number from 1 to 999999999',
  ],
  [/^OTEL_(BSP|SPAN|ATTRIBUTE)_\w+$/, /^\d{1,9}$/, 'a whole number from 0 to 999999999'],
];

/** True if traces are sent. */
export function sendsTraces(env: NodeJS.ProcessEnv): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: off, OTEL_TRACES_EXPORTER: exporter } = env;
  return Boolean(url) && off?.toLowerCase() !== 'true' && exporter !== 'none';
}

/** OpenTelemetry's variables that cannot be honoured, and what each may be: its SDK ignores some of them, and sends nothing for others. */
export function wrongTracing(env: NodeJS.ProcessEnv): [variable: string, allowed: string][] {
  return Object.entries(sendsTraces(env) ? env : {}).flatMap(([variable, value]) => {
    const [, values, allowed] = rules.find(([variables]) => variables.test(variable)) ?? [];
    return value && allowed !== undefined && !values?.test(value.trim()) ? [[variable, allowed]] : [];
  });
}
