import type { Visitor } from '../../src/domain/visit/visitor.ts';

export { BROWSER, type Visited, type VisitOptions, visit } from '../../src/testing/visit.ts';

/** A visitor without known facts, whose visit counts. */
export const VISITOR: Visitor = {
  country: null,
  userAgent: '',
  platformHint: null,
  acceptLanguage: '',
  query: '',
  optedOut: false,
  passwordGiven: false,
  counts: true,
};
