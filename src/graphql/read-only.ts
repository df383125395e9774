import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import { forbidden } from '../errors.js';
import type { PanelContext } from './context.js';

/** The mutations that a viewer may use who looks at the panel as a client. */
const ALLOWED = ['endViewAs', 'logout'];

/** Makes every mutation of a schema refuse viewers who look at the panel as a client, whatever it is about. */
export function refuseWhileViewing(schema: GraphQLSchema): GraphQLSchema {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  for (const field of mutations.filter(({ name }) => !ALLOWED.includes(name))) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (source, args, context: PanelContext, info) => {
      if (context.viewer?.viewAsTeamId != null) {
        throw forbidden('While you see the panel as a client, nothing can be changed.');
      }
      return resolve(source, args, context, info);
    };
  }
  return schema;
}
