import { useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { type AnyVariables, type Client, type OperationResult, type TypedDocumentNode, useQuery } from 'urql';
import { useAfterOutage, useRetry } from './away.ts';
import { type Happening, onHappenings } from './bus.ts';
import { type Fault, mayBeOutage, toFault } from './faults.ts';

/** The pause before a list is read again after a change, and the shortest time between two reads, in milliseconds. */
const SETTLE = 150;
const MIN_INTERVAL = 1_000;

/** Calls `act` soon after changes that match, at most once a second. */
export function useHappenings(matches: (happening: Happening) => boolean, act: () => void): void {
  const concerns = useEffectEvent(matches);
  const run = useEffectEvent(act);
  const ranAt = useRef(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onHappenings((happenings) => {
      if (timer !== undefined || !happenings.some(concerns)) return;
      const pause = Math.max(SETTLE, ranAt.current + MIN_INTERVAL - Date.now());
      timer = setTimeout(() => {
        timer = undefined;
        ranAt.current = Date.now();
        run();
      }, pause);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
}

export interface Reading<Data> {
  /** Undefined at first; the data of earlier variables while new ones are read. */
  readonly data: Data | undefined;
  readonly fault: Fault | null;
  /** True while the data are still those of other variables. */
  readonly isLoading: boolean;
  again(): void;
}

export interface ReadOptions {
  readonly pause?: boolean;
  /** The kinds of records whose changes cause another read, or a test of changes. */
  readonly on?: readonly Happening['kind'][] | ((happening: Happening) => boolean);
}

/** Reads records from the cache and from the server, and again when they change. */
export function useRead<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false, on = [] }: ReadOptions = {},
): Reading<Data> {
  const [{ data, error, fetching: isLoading }, execute] = useQuery<Data, AnyVariables>({
    query: document,
    variables,
    pause,
    requestPolicy: 'cache-and-network',
  });
  const again = () => execute({ requestPolicy: 'network-only' });
  const fault = useMemo(() => (error ? toFault(error) : null), [error]);
  const isOut = fault !== null && mayBeOutage(fault);
  useAfterOutage(() => !pause && isOut && again());
  useRetry(pause || isLoading ? null : fault, again);
  // Once the service is back, everything may have changed.
  const concerns = (happening: Happening) =>
    isOut || (typeof on === 'function' ? on(happening) : on.includes(happening.kind));
  useHappenings((happening) => !pause && concerns(happening), again);
  const key = JSON.stringify(variables);
  const last = useRef<{ key: string; data: Data } | null>(null);
  if (data && !isLoading) last.current = { key, data };
  // The page stays as it is while the service is away.
  const kept = isOut && last.current?.key === key ? last.current.data : undefined;
  return { data: data ?? kept, fault, isLoading, again };
}

/** Asks the service once, whatever the cache has. */
export const readNow = <Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<OperationResult<Data, Variables>> =>
  client.query(document, variables, { requestPolicy: 'network-only' }).toPromise();
