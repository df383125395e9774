import type { ApolloServerPlugin } from '@apollo/server';
import { Kind, type OperationDefinitionNode } from 'graphql';
import type { PanelContext } from './context.js';

/**
 * Names an operation by its kind and its one field at the top, as in `query submissions`.
 *
 * The name that a client gives it would let clients make as many series of a metric as they like.
 */
function nameOf({ operation, selectionSet }: OperationDefinitionNode): string {
  const fields = new Set(
    selectionSet.selections.map((selection) => (selection.kind === Kind.FIELD ? selection.name.value : null)),
  );
  const [field] = fields;
  return `${operation} ${fields.size === 1 && field ? field : '(several)'}`;
}

/** Tells the request of each valid operation its name, for the log and the metrics. */
export function nameOperations(): ApolloServerPlugin<PanelContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ operation, contextValue }) {
          if (operation) contextValue.setOperation(nameOf(operation));
        },
      };
    },
  };
}
