import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { SearchSelect } from '../../../parts/fields/search-select.js';
import { addPlacement } from '../../../placements.js';
import type { Website } from '../queries.js';
import { formsQuery, placementChanged } from './queries.js';

type Props = {
  website: Website;
  /** The forms that are on the website already. */
  placed: readonly string[];
  onAdded(formId: string): void;
};

/** Puts one of the team's forms on the website, and leads to its settings there. */
export function AddForm({ website, placed, onAdded }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const forms = useQuery(formsQuery(website.teamId, search));
  const add = useMutation({
    mutationFn: (formId: string) => addPlacement(website.id, formId),
    onSuccess: async (_saved, formId) => {
      await placementChanged(client, website.id, formId);
      onAdded(formId);
    },
  });
  return (
    <>
      <SearchSelect
        label={t('placement.add')}
        placeholder={t('choice.choose')}
        // What was chosen is shown until it is placed.
        value={add.isPending ? add.variables : null}
        query={forms}
        hasMore={forms.data?.pageInfo.hasNextPage}
        options={(forms.data?.edges ?? [])
          .filter(({ node }) => !placed.includes(node.id))
          .map(({ node }) => ({ value: node.id, text: node.name }))}
        onSearch={setSearch}
        onChange={({ value }) => add.mutate(value)}
      />
      {add.error && <ErrorBox error={add.error} />}
    </>
  );
}
