import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql, request, type VariablesOf } from '../../graphql.js';
import { useText } from '../../language.js';
import { say } from '../../parts/toasts.js';
import { type Viewer, viewerQuery } from '../../session.js';

const UPDATE = graphql(`
  mutation updateViewer($input: UpdateViewerInput!) {
    updateViewer(input: $input) {
      userId
    }
  }
`);

/** Changes the viewer, which shows at once, and is taken back when the gateway refuses it. */
export function useViewerUpdate() {
  const t = useText();
  const client = useQueryClient();
  const { queryKey } = viewerQuery;
  return useMutation({
    mutationFn: (input: VariablesOf<typeof UPDATE>['input']) => request(UPDATE, { input }),
    onMutate: (input) => {
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (viewer) => viewer && ({ ...viewer, ...input } as Viewer));
      return { before };
    },
    onSuccess: () => say(t('action.saved')),
    onError: (_error, _input, change) => client.setQueryData(queryKey, change?.before),
  });
}
