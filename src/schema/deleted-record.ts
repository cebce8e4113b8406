import { builder } from './builder.ts';

export const DeletedRecord = builder.objectRef<{ id: number }>('DeletedRecord').implement({
  description: 'What is left of a record that was deleted.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id that the record had.' }) }),
});

export function asDeleted(id: number): { id: number } {
  return { id };
}
