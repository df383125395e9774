import { useMutation } from '@tanstack/react-query';
import { PANEL } from './address.js';
import { graphql, request } from './graphql.js';
import { useText } from './language.js';
import { describeError } from './parts/error-words.js';
import { say } from './parts/toasts.js';

const VIEW_AS = graphql(`
  mutation viewAs($teamId: ID!) {
    viewAs(teamId: $teamId)
  }
`);

/** Shows the panel to staff as an owner of a team sees it. */
export function useViewAs() {
  const t = useText();
  return useMutation({
    mutationFn: (teamId: string) => request(VIEW_AS, { teamId }),
    // A new document, so that nothing that staff see stays in memory.
    onSuccess: () => location.assign(PANEL),
    onError: (error) => say(describeError(error, t).text),
  });
}
