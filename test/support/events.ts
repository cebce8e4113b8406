import type { Caller } from './server.ts';

/** The events of a subscription so far. */
export interface Events<T> {
  readonly status: number;
  readonly type: string;
  /** The data of its events, in order. */
  readonly seen: T[];
  /** The number of comments, which keep the connection alive. */
  readonly comments: () => number;
  /** Resolves with the last event's name, or '', when the server ends it; with 'broken off' if it ends in the middle. */
  readonly ended: Promise<string>;
  close(): void;
}

/** Subscribes over server-sent events. */
export async function subscribe<T>(
  caller: Pick<Caller, 'fetch'>,
  query: string,
  variables = {},
  headers: Record<string, string> = {},
): Promise<Events<T>> {
  const abort = new AbortController();
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query, variables }),
    signal: abort.signal,
  });
  const seen: T[] = [];
  let comments = 0;
  let last = '';
  const hear = (block: string) => {
    if (block.startsWith(':')) comments++;
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.+)$/m.exec(block)?.[1];
    if (name !== undefined) last = name;
    if (name === 'next' && data !== undefined) seen.push(JSON.parse(data));
  };
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) hear(block);
    }
    return last;
  };
  const ended = read().catch(() => 'broken off');
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    seen,
    comments: () => comments,
    ended,
    close: () => abort.abort(),
  };
}
