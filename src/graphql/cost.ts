import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
// Its ES module brings a second copy of graphql, which would not know our schema. Of this one Node finds no names.
import complexity from 'graphql-query-complexity/cjs';
import { ApiError } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { type PageArgs, readPageRequest } from './connection.js';
import type { PanelContext } from './context.js';

const { fieldExtensionsEstimator, getComplexity, simpleEstimator } = complexity;

/** What one request may cost: one for each field that may be answered, a list's fields times its length. */
const MAX_COST = 20_000;

/** Most fields of a document whose cost is worked out, with its fragments in their places. */
const MAX_FIELDS = 5_000;

/** Most values in the variables of an operation, those in lists and objects included; each is read three times. */
const MAX_VALUES = 10_000;

/** Values that one turn of the event loop reads; with more of them each of the three readings has a turn of its own. */
const VALUES_IN_TURN = 1_000;

/** What the cost of a field is estimated from: its arguments, and what its own fields cost. */
export type Estimate<Args = unknown> = Readonly<{ args: Args; childComplexity: number }>;

/**
 * The cost of a page: of its entries, and one more. For the `complexity` of a connection's field.
 *
 * @throws 422 for a page that cannot be, before anything of the operation runs.
 */
export const pageCost = ({ args, childComplexity }: Estimate<PageArgs>): number =>
  1 + readPageRequest(args).limit * childComplexity;

/** The cost of a list that is usually about so long. */
export const listCost =
  (length: number) =>
  ({ childComplexity }: Pick<Estimate, 'childComplexity'>): number =>
    1 + length * childComplexity;

const fieldCost = fieldExtensionsEstimator();

/** As the field estimates it; arguments that it refuses become a refusal of the operation, at their place. */
const estimators: Parameters<typeof getComplexity>[0]['estimators'] = [
  (field) => {
    try {
      return fieldCost(field);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new GraphQLError(error.message, {
        nodes: field.node,
        originalError: error,
        extensions: { http: { status: 400 } },
      });
    }
  },
  simpleEstimator({ defaultComplexity: 1 }),
];

const badInput = (message: string, nodes?: GraphQLError['nodes']) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });

/** A variable that does not fit. Its value, which may be a password, is not repeated. */
function variableFault(error: GraphQLError): GraphQLError {
  const [node] = error.nodes ?? [];
  const variable = node?.kind === Kind.VARIABLE_DEFINITION ? `Variable "$${node.variable.name.value}": ` : '';
  const { message } = error.originalError ?? error;
  return badInput(`${error.originalError ? variable : ''}${message}`, error.nodes);
}

function hasMoreValues(variables: object, limit: number): boolean {
  const pending: unknown[] = [variables];
  for (let count = 0; pending.length > 0; ) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    count += inner.length;
    if (count > limit) return true;
    pending.push(...inner);
  }
  return false;
}

const TOO_COSTLY = 'OPERATION_TOO_COSTLY';

const tooCostly = (message: string) =>
  new GraphQLError(message, { extensions: { code: TOO_COSTLY, http: { status: 400 } } });

type Operation = Readonly<{
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  hideSuggestions: boolean;
}>;

/**
 * Estimates what an operation costs.
 *
 * @throws GraphQLError for variables that do not fit, for arguments that are refused, and for too long a document.
 */
async function costOf(schema: GraphQLSchema, query: DocumentNode, of: Operation): Promise<number> {
  const { operation, variables, hideSuggestions } = of;
  const betweenReadings = () => (hasMoreValues(variables, VALUES_IN_TURN) ? nextTurn() : undefined);
  if (hasMoreValues(variables, MAX_VALUES)) {
    throw badInput(`The variables hold more than ${MAX_VALUES} values.`);
  }
  // The estimate would collect every fault of a list, of which there may be as many as a body has room for.
  const options = { maxErrors: 1, hideSuggestions };
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, options);
  if (errors) throw variableFault(errors[0]!);
  const operationName = operation.name?.value;
  await betweenReadings();
  try {
    const limits = { estimators, maxQueryNodes: MAX_FIELDS };
    const cost = getComplexity({ schema, query, operationName, variables, ...limits });
    await betweenReadings();
    return cost;
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.originalError instanceof ApiError) throw error;
    throw error.nodes ? variableFault(error) : tooCostly(`The document has more than ${MAX_FIELDS} fields.`);
  }
}

/**
 * Refuses an operation that would cost too much before anything of it runs, answers one whose answer has become too
 * large with that alone, and logs what each costs.
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
        async didResolveOperation({ schema, document, operation, request }) {
          // Which of several is meant is for the execution to say.
          if (!operation) return;
          const variables = request.variables ?? {};
          cost = await costOf(schema, document, { operation, variables, hideSuggestions });
          if (cost > MAX_COST) throw tooCostly(`The operation costs ${cost}, which is over ${MAX_COST}.`);
        },
        async willSendResponse({ contextValue, operationName, operation, errors, response }) {
          const { fault } = contextValue.answer;
          if (fault) {
            const refusal = { message: fault.message, extensions: { code: TOO_COSTLY } };
            response.body = { kind: 'single', singleResult: { errors: [refusal] } };
            response.http.status = 400;
          }
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
