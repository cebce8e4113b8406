import type { ImportFormat } from '../../domain/transfer/formats.ts';
import { OperatorError } from '../../operator-error.ts';

export function noExport(format: ImportFormat, why: string): OperatorError {
  return new OperatorError(`The file is no export of the format "${format}": ${why}.`);
}
