import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, getVariableValues, Kind } from 'graphql';
// Its ES module brings a second copy of graphql, which would not know our schema. Of this one Node finds no names.
import complexity from 'graphql-query-complexity/cjs';
import type { Logger } from '../lib/logger.js';
import type { PanelContext } from './context.js';

const { fieldExtensionsEstimator, getComplexity, simpleEstimator } = complexity;

/** What one request may cost: one for each field that may be answered, a list's fields times its length. */
const MAX_COST = 20_000;

type Estimate = Readonly<{ args: { first?: number | null; last?: number | null }; childComplexity: number }>;

/** The cost of a page: of its entries, and one more. For the `complexity` of a connection's field. */
export const pageCost = ({ args, childComplexity }: Estimate): number =>
  1 + (args.first ?? args.last ?? 50) * childComplexity;

/** The cost of a list that is usually about so long. */
export const listCost =
  (length: number) =>
  ({ childComplexity }: Pick<Estimate, 'childComplexity'>): number =>
    1 + length * childComplexity;

/**
 * The cost needs the variables, so it is here that those which do not fit are found. Their values, among which
 * may be a password, are not repeated.
 */
function variableFault(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error;
  const [node] = error.nodes ?? [];
  const variable = node?.kind === Kind.VARIABLE_DEFINITION ? `Variable "$${node.variable.name.value}": ` : '';
  const { message } = error.originalError ?? error;
  return new GraphQLError(`${error.originalError ? variable : ''}${message}`, {
    nodes: error.nodes,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

/**
 * Refuses an operation that would cost too much before anything of it runs, and logs what each costs.
 *
 * @param options.hideSuggestions Whether an error may not tell what the schema has.
 */
export function costLimit(
  log: Logger,
  { hideSuggestions }: { hideSuggestions: boolean },
): ApolloServerPlugin<PanelContext> {
  return {
    async requestDidStart() {
      const startedAt = performance.now();
      let cost = 0;
      return {
        async didResolveOperation({ schema, document, operation, request, operationName }) {
          const variables = request.variables ?? {};
          const definitions = operation?.variableDefinitions ?? [];
          const { errors } = getVariableValues(schema, definitions, variables, {
            maxErrors: 1,
            hideSuggestions,
          });
          if (errors) throw variableFault(errors[0]);
          try {
            cost = getComplexity({
              schema,
              query: document,
              operationName: operationName ?? undefined,
              variables,
              estimators: [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })],
            });
          } catch (error) {
            throw variableFault(error);
          }
          if (cost <= MAX_COST) return;
          throw new GraphQLError(`The operation costs ${cost}, which is over ${MAX_COST}.`, {
            extensions: { code: 'OPERATION_TOO_COSTLY', http: { status: 400 } },
          });
        },
        async willSendResponse({ contextValue, operationName, operation, errors }) {
          log.info(
            {
              requestId: contextValue.requestId,
              operation: operationName ?? operation?.operation ?? null,
              userId: contextValue.viewer?.userId ?? null,
              cost,
              codes: errors?.map(({ extensions }) => extensions.code),
              durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
            },
            'GraphQL operation',
          );
        },
      };
    },
  };
}
