import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { GatewayError } from './graphql.js';

const isPassing = (error: Error): boolean => error instanceof GatewayError && error.isPassing;

let refused: (() => void) | null = null;

/** Sets a handler that is called when the gateway refuses something because the viewer lacks a right. */
export function onRefusal(handler: (() => void) | null): void {
  refused = handler;
}

/** Whether an error says that something is not the viewer's, or not for the viewer's role. */
export const isRefusal = (error: Error | null): boolean =>
  error instanceof GatewayError && ['FORBIDDEN', 'NOT_FOUND'].includes(error.code);

const onError = (error: Error): void => {
  if (isRefusal(error)) refused?.();
};

/** Also forgets what a colleague has deleted since it was read, so that its page says so as a first load does. */
const onQueryError: QueryCache['config']['onError'] = (error, query) => {
  if (error instanceof GatewayError && error.code === 'NOT_FOUND') query.setState({ data: undefined });
  onError(error);
};

/** Longest pause between two attempts to reach the gateway. */
const MAX_PAUSE_MS = 15_000;

/**
 * The cache of what the pages have read. A query that finds the gateway away is sent again until it is back; a change
 * is not, since it may have been made before the answer was lost.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onQueryError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // The browser's own word on the network is not asked for: the gateway may be on this machine.
      networkMode: 'always',
      retry: (_count, error) => isPassing(error),
      retryDelay: (count) => Math.min(1_000 * 2 ** count, MAX_PAUSE_MS),
      staleTime: 10_000,
    },
    mutations: { networkMode: 'always' },
  },
});
