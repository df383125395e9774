import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql, request, type VariablesOf } from '../../graphql.js';
import { useText } from '../../language.js';
import { say } from '../../parts/overlays/toasts.js';
import { readViewer, type Viewer, viewerQuery } from '../../session.js';

const UPDATE = graphql(`
  mutation updateViewer($input: UpdateViewerInput!) {
    updateViewer(input: $input) {
      userId
    }
  }
`);

type Input = VariablesOf<typeof UPDATE>['input'];

/** Picks the properties that a change sets. */
const sameKeys = (input: Input, account: Viewer): Partial<Viewer> =>
  Object.fromEntries(Object.keys(input).map((key) => [key, account[key as keyof Input]]));

/**
 * Changes the viewer, which shows at once. What the gateway refuses is taken back, and no more than that: what else was
 * changed meanwhile stays.
 */
export function useViewerUpdate() {
  const t = useText();
  const client = useQueryClient();
  const { queryKey } = viewerQuery;
  const set = (change: Partial<Viewer>) =>
    client.setQueryData(queryKey, (viewer) => viewer && { ...viewer, ...change });
  return useMutation({
    mutationFn: (input: Input) => request(UPDATE, { input }),
    onMutate: (input) => {
      const before = client.getQueryData(queryKey);
      set(input as Partial<Viewer>);
      return before && sameKeys(input, before);
    },
    onSuccess: () => say(t('action.saved')),
    onError: (_error, input, before) => {
      set(before ?? {});
      // An earlier change of the same may have been refused as well. Another account may have logged in meanwhile.
      readViewer().then(
        (now) => now && now.userId === client.getQueryData(queryKey)?.userId && set(sameKeys(input, now)),
        () => undefined,
      );
    },
  });
}
