import { type DomainError, errorCodes, type FieldError } from '../domain/errors.ts';
import { MAX_FIELD_ERRORS } from '../domain/input.ts';
import { builder } from './builder.ts';
import { costs } from './cost/field-cost.ts';
import { enumType } from './enum-type.ts';

const ErrorCodeEnum = enumType('ErrorCode', 'Why an operation was refused.', errorCodes);

/** An expected failure as a value: GraphQL would treat an Error as a failed field. */
export class Failure {
  readonly error: DomainError;

  constructor(error: DomainError) {
    this.error = error;
  }
}

export const ErrorInterface = builder.interfaceRef<Failure>('Error').implement({
  description: 'An expected failure of a mutation.',
  fields: (t) => ({
    message: t.string({ description: 'A message for people.', resolve: ({ error }) => error.message }),
    code: t.field({
      type: ErrorCodeEnum,
      description: 'A code for programs.',
      resolve: ({ error }) => error.code,
    }),
  }),
});

const FieldErrorType = builder.objectRef<FieldError>('FieldError').implement({
  description: 'The errors of one field of the input.',
  fields: (t) => ({
    path: t.exposeStringList('path', {
      description: 'The path of the field in the input, outermost name first.',
      extensions: costs({ size: 1, weight: 2 }),
    }),
    messages: t.exposeStringList('messages', {
      description: "What is wrong, as the rest of a sentence that starts with the field's name.",
      extensions: costs({ size: 1, weight: 2 }),
    }),
  }),
});

export const ValidationError = builder.objectRef<Failure>('ValidationError').implement({
  description: 'One or more fields of the input are wrong; nothing was saved.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    fields: t.field({
      type: [FieldErrorType],
      description: `All wrong fields, at most ${MAX_FIELD_ERRORS}.`,
      extensions: costs({ size: MAX_FIELD_ERRORS }),
      resolve: ({ error }) => [...error.fields],
    }),
  }),
});

export const NotFoundError = builder.objectRef<Failure>('NotFoundError').implement({
  description: errorCodes.NOT_FOUND,
  interfaces: [ErrorInterface],
});

export const InUseError = builder.objectRef<Failure>('InUseError').implement({
  description: errorCodes.IN_USE,
  interfaces: [ErrorInterface],
});
