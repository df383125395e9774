import { GatewayError } from '../../graphql.js';

/**
 * Returns the messages of a refused input by their paths. Null for any other error, also for a refusal that names
 * none, such as that of too many values: it is to be shown as an error, since nothing would show it at a field.
 */
export const refusedFields = (error: unknown): GatewayError['fields'] | null =>
  error instanceof GatewayError && error.code === 'BAD_USER_INPUT' && Object.keys(error.fields).length > 0
    ? error.fields
    : null;
