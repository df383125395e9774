import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
// The ES module brings a second copy of graphql, which rejects our schema. Node finds no named exports in this one.
import complexity from 'graphql-query-complexity/cjs';
import { ApiError } from '../errors.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { type PageArgs, readPageRequest } from './connection.js';
import type { PanelContext } from './context.js';

const { fieldExtensionsEstimator, getComplexity, simpleEstimator } = complexity;

/** Maximum cost of one request: one for each field that may be answered, a list's fields times its length. */
const MAX_COST = 20_000;

/** Maximum fields of a document whose cost is estimated, with its fragments expanded. */
const MAX_FIELDS = 5_000;

/**
 * Maximum values in an operation's variables, those in lists and objects included; each is read three times. The
 * variables of an input type with a `maxValues` of its own are counted apart.
 */
const MAX_VALUES = 10_000;

/** Values up to which one turn of the event loop reads all; with more, each of the three readings has its own turn. */
const VALUES_IN_TURN = 1_000;

/** The inputs of a field's cost estimate: its arguments, and the cost of its own fields. */
export type Estimate<Args = unknown> = Readonly<{ args: Args; childComplexity: number }>;

/**
 * Estimates the cost of a page, that of its entries plus one, as the `complexity` of a connection's field.
 *
 * @throws 422 for faulty arguments, before anything of the operation runs.
 */
export const pageCost = ({ args, childComplexity }: Estimate<PageArgs>): number =>
  1 + readPageRequest(args).limit * childComplexity;

/** Limits the values of the variables of an input type together, as its `Extensions`. */
export const maxValues = (limit: number) => ({ maxValues: limit });

/** Estimates the cost of a list from its usual length. */
export const listCost =
  (length: number) =>
  ({ childComplexity }: Pick<Estimate, 'childComplexity'>): number =>
    1 + length * childComplexity;

const fieldCost = fieldExtensionsEstimator();

/** Estimators of a field's cost. Arguments that a field's own estimator refuses become an error at their place. */
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

/** Builds the error for a variable of the wrong type. It omits the value, which may be a password. */
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

/** Returns the limit of a type of variables, required or not. */
function limitOf(schema: GraphQLSchema, { type }: VariableDefinitionNode): number {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  const found = named.kind === Kind.NAMED_TYPE ? typeFromAST(schema, named) : undefined;
  return isInputObjectType(found) ? Number(found.extensions.maxValues ?? MAX_VALUES) : MAX_VALUES;
}

/** Refuses variables with too many values: of one limit together, so that many variables hold no more than one. */
function refuseTooMany(schema: GraphQLSchema, { operation, variables }: Operation): void {
  const others = { ...variables };
  const ofLimit = new Map([[MAX_VALUES, others]]);
  for (const definition of operation.variableDefinitions ?? []) {
    const limit = limitOf(schema, definition);
    const { value: name } = definition.variable.name;
    if (limit === MAX_VALUES || !Object.hasOwn(others, name)) continue;
    ofLimit.set(limit, { ...ofLimit.get(limit), [name]: others[name] });
    delete others[name];
  }
  for (const [limit, held] of ofLimit) {
    if (hasMoreValues(held, limit)) throw badInput(`The variables hold more than ${limit} values.`);
  }
}

const TOO_COSTLY = 'OPERATION_TOO_COSTLY';

/** Creates the error for an operation that asks for too much. */
export const tooCostly = (message: string) =>
  new GraphQLError(message, { extensions: { code: TOO_COSTLY, http: { status: 400 } } });

type Operation = Readonly<{
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  hideSuggestions: boolean;
}>;

/**
 * Estimates the cost of an operation.
 *
 * @throws GraphQLError for variables of the wrong type or with too many values, refused arguments, too long a document.
 */
async function costOf(schema: GraphQLSchema, query: DocumentNode, of: Operation): Promise<number> {
  const { operation, variables, hideSuggestions } = of;
  const betweenReadings = () => (hasMoreValues(variables, VALUES_IN_TURN) ? nextTurn() : undefined);
  refuseTooMany(schema, of);
  // The estimate alone would collect every error of a list, of which a body can hold very many.
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
 * Refuses too costly an operation before anything of it runs, and logs the cost of each. When an answer has become
 * too large, it is replaced by that error alone.
 *
 * @param options.hideSuggestions Whether errors omit suggestions, which reveal names of the schema.
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
          // The execution reports a document with several operations and no name.
          if (!operation) return;
          const variables = request.variables ?? {};
          cost = await costOf(schema, document, { operation, variables, hideSuggestions });
          if (cost > MAX_COST) throw tooCostly(`The operation costs ${cost}, which is over ${MAX_COST}.`);
        },
        async willSendResponse({ contextValue, operationName, operation, response }) {
          const { fault } = contextValue.answer;
          if (fault) {
            const refusal = { message: fault.message, extensions: { code: TOO_COSTLY } };
            response.body = { kind: 'single', singleResult: { errors: [refusal] } };
            response.http.status = 400;
          }
          // As the client reads them: of what a resolver has thrown, only the answer has a code.
          const errors = response.body.kind === 'single' ? response.body.singleResult.errors : undefined;
          log.info(
            {
              requestId: contextValue.requestId,
              operation: operationName ?? operation?.operation ?? null,
              userId: contextValue.viewer?.userId ?? null,
              cost,
              codes: errors?.map(({ extensions }) => extensions?.code),
              durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
            },
            'GraphQL operation',
          );
        },
      };
    },
  };
}
