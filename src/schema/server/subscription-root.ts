import { type ASTVisitor, GraphQLError, type ValidationContext, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const message =
  'A subscription may not have @skip or @include at its root: see the rule "Single Root Field" of the GraphQL specification.';

/** Refuses directives that could leave a subscription without its root field. */
export function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  const root = context.getSchema().getSubscriptionType();
  return {
    Directive(node) {
      if (context.getParentType() !== root || !['skip', 'include'].includes(node.name.value)) return;
      const extensions = { code: 'BAD_REQUEST', http: { status: 400, spec: false } };
      context.reportError(new GraphQLError(message, { nodes: node, extensions }));
    },
  };
}

/** Applies the rule before the specified ones, of which one fails on such a directive with a variable. */
export const useSubscriptionRoots: Plugin = {
  onValidate({ validateFn, setValidationFn }) {
    setValidationFn((schema, document, ...rest) => {
      const errors = validate(schema, document, [subscriptionRootRule]);
      return errors.length > 0 ? errors : validateFn(schema, document, ...rest);
    });
  },
};
