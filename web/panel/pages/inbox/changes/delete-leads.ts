import type { QueryClient } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';
import type { useText } from '../../../language.js';
import { say } from '../../../parts/overlays/toasts.js';
import { Cancelled, type Changes } from './changes.js';
import { type Chosen, forAll } from './chosen.js';

const DELETE = graphql(`
  mutation deleteSelected($selection: SubmissionSelection!) {
    deleteSelected(selection: $selection) {
      matched
      deleted
      next
    }
  }
`);

/** Has lists and counts read anew after a deletion; the open lead is left, since reading it again would fail. */
function forgetLeads(client: QueryClient): void {
  client.removeQueries({ queryKey: ['lead'], type: 'inactive' });
  void client.resetQueries({ queryKey: ['leads'] });
  void client.invalidateQueries({ queryKey: ['leadCounts'] });
}

/**
 * Deletes leads for good, those under legal hold excepted.
 *
 * @throws what the gateway refuses with; portions before it stay deleted, also where it is cancelled.
 */
export async function deleteLeads(
  chosen: Chosen,
  { run }: Pick<Changes, 'run'>,
  t: ReturnType<typeof useText>,
): Promise<void> {
  const answers: ResultOf<typeof DELETE>['deleteSelected'][] = [];
  const sum = (key: 'matched' | 'deleted') => answers.reduce((total, answer) => total + answer[key], 0);
  try {
    await run(
      chosen,
      (step) =>
        forAll(
          chosen,
          async (selection) => {
            const { deleteSelected } = await request(DELETE, { selection });
            answers.push(deleteSelected);
            return deleteSelected;
          },
          step,
        ),
      forgetLeads,
    );
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
  } finally {
    const [matched, deleted] = [sum('matched'), sum('deleted')];
    if (answers.length > 0) say(t('deletion.done', { count: deleted, kept: matched - deleted }));
  }
}
