import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import type { PanelContext } from './context.js';

/** Has each mutation of an operation clear what the ones before have loaded, since it makes that stale. */
export function clearLoaded(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context: PanelContext, info) => {
      context.load.clearAll();
      return resolve(source, args, context, info);
    };
  }
  return schema;
}
