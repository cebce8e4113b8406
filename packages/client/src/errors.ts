import type { FieldFragment, LinkFragment, SpaceFragment, TagFragment } from './generated/documents.ts';

/** A refused field of an input. */
export type RefusedField = Partial<FieldFragment> & Pick<FieldFragment, 'path' | 'messages'>;

export interface ErrorDetails {
  readonly code: string;
  readonly fields?: readonly RefusedField[];
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
  readonly isUnknown?: boolean;
}

/** The key under which errors name their classes. Copies of this package share it. */
const CLASSES = Symbol.for('@linkspace/client/classes');

function hasClass(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !(CLASSES in value)) return false;
  const names = value[CLASSES];
  return Array.isArray(names) && names.includes(name);
}

/** Returns the check of `instanceof` for a class of this name. Subclasses of applications are told apart as usual. */
function instancesOf(name: string) {
  return function <Class extends abstract new (...given: never) => object>(
    this: Class,
    value: unknown,
  ): value is InstanceType<Class> {
    return Object.hasOwn(this, Symbol.hasInstance)
      ? hasClass(value, name)
      : Function.prototype[Symbol.hasInstance].call(this, value);
  };
}

/** A refusal of the service, or a request without an answer. `instanceof` works across copies of this package. */
export class LinkspaceError extends Error {
  /** The service's code, such as `NOT_FOUND`; `NETWORK` without an answer, `UNEXPECTED` for an answer of something else. */
  readonly code: string;
  /** All wrong fields of the input. */
  readonly fields: readonly RefusedField[];
  /** The seconds after which to try again; null if the service named none. */
  readonly retryAfter: number | null;
  /** The id under which the service logged the request. */
  readonly requestId: string | null;
  /** True if the write may have been executed. */
  readonly isUnknown: boolean;

  constructor(message: string, details: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LinkspaceError';
    this.code = details.code;
    this.fields = details.fields ?? [];
    this.retryAfter = details.retryAfter ?? null;
    this.requestId = details.requestId ?? null;
    this.isUnknown = details.isUnknown ?? false;
  }

  get [CLASSES](): readonly string[] {
    return ['LinkspaceError'];
  }

  static override readonly [Symbol.hasInstance] = instancesOf('LinkspaceError');
}

/** The record has changed since its `updatedAt` was read. */
export class ConflictError extends LinkspaceError {
  /** The record as it is now. */
  readonly current: LinkFragment | SpaceFragment | TagFragment;

  constructor(message: string, details: ErrorDetails, current: ConflictError['current']) {
    super(message, details);
    this.name = 'ConflictError';
    this.current = current;
  }

  override get [CLASSES](): readonly string[] {
    return [...super[CLASSES], 'ConflictError'];
  }

  static override readonly [Symbol.hasInstance] = instancesOf('ConflictError');
}

/** The write was executed, but its answer was lost, and the service shows a secret only once. */
export class SecretLost extends LinkspaceError {
  /** The answer, with `[shown once]` in the place of each secret. */
  readonly result: unknown;

  constructor(requestId: string | null, result: unknown) {
    super('The write was executed, but the answer with its secret was lost.', {
      code: 'SECRET_LOST',
      requestId,
    });
    this.name = 'SecretLost';
    this.result = result;
  }

  override get [CLASSES](): readonly string[] {
    return [...super[CLASSES], 'SecretLost'];
  }

  static override readonly [Symbol.hasInstance] = instancesOf('SecretLost');
}
