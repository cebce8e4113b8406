import type { RecordKind } from '../generated/documents.ts';

/** A change of a record; without a record, anything of that kind may have changed. */
export interface Happening {
  /** `CLICKS` are those of a link, or of all if there is no record. */
  readonly kind: RecordKind | 'CLICKS';
  readonly recordId: string | null;
  readonly action: string | null;
}

type Listener = (happenings: readonly Happening[]) => void;

const listeners = new Set<Listener>();

/** Calls the listener for every change, of this tab or others. Returns a function that ends that. */
export function onHappenings(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announce(happenings: readonly Happening[]): void {
  if (happenings.length > 0) for (const listener of listeners) listener(happenings);
}

export const allKinds: readonly RecordKind[] = [
  'LINK',
  'SPACE',
  'TAG',
  'DOMAIN',
  'PIXEL',
  'UTM_TEMPLATE',
  'SAVED_OPERATION',
  'SAVED_VIEW',
  'WEBHOOK',
  'MEMBER',
  'INVITATION',
  'API_KEY',
  'ACCOUNT',
];

/** Announces that any record of these kinds may have changed. */
export function announceKinds(...kinds: readonly RecordKind[]): void {
  announce(kinds.map((kind) => ({ kind, recordId: null, action: null })));
}

/** Announces that anything may have changed. */
export const announceAll = (): void => announceKinds(...allKinds);
