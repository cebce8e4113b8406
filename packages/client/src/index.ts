export type { Change, ChangeEvent, Changes, ChangesOptions } from './changes.ts';
export { type Client, createClient, type RequestOptions } from './client.ts';
export { ConflictError, LinkspaceError, type RefusedField, SecretLost } from './errors.ts';
export type { ChangeFilter } from './generated/changes.ts';
export type * from './generated/documents.ts';
export type { List, Page, ReadOptions, WriteOptions } from './methods.ts';
export type { ClientOptions } from './send.ts';
export type { Timing } from './timing.ts';
export type { TypedDocument } from './typed-document.ts';
