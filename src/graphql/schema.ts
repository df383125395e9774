import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type ClassType, type NonEmptyArray } from 'type-graphql';
import { boundAnswers } from './answer-bound.js';
import { authChecker } from './auth-checker.js';
import { clearLoaded } from './clear-loaded.js';
import { refuseWhileViewing } from './read-only.js';

/**
 * Builds the panel's schema from its resolvers.
 *
 * @param instanceOf Returns the resolver of a class; without it the schema can be printed but answers nothing.
 */
export function buildPanelSchema(
  resolvers: NonEmptyArray<ClassType>,
  instanceOf?: (resolver: ClassType) => unknown,
): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers,
    authChecker,
    // Inputs are checked with zod, which also covers rules across several fields.
    validate: false,
    // The check asks for an introspection of the whole schema; where it is printed is enough, since that is linted.
    skipCheck: instanceOf !== undefined,
    ...(instanceOf && { container: { get: (resolver: ClassType) => instanceOf(resolver) } }),
  });
  return boundAnswers(refuseWhileViewing(clearLoaded(schema)));
}

/** Prints a schema as text, the same whatever the order of its resolvers. */
export const printPanelSchema = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;
