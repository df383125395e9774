import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { SearchSelect } from '../../parts/fields/search-select.js';
import { say } from '../../parts/overlays/toasts.js';
import { addPlacement } from '../../placements.js';

const WEBSITES = graphql(`
  query websitesForForm($teamId: ID!, $search: String) {
    websites(first: 100, teamId: $teamId, search: $search) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

type Props = Readonly<{
  form: Readonly<{ id: string; teamId: string }>;
  /** The websites that it is on already. */
  placed: readonly string[];
}>;

/** Puts the form on one of the team's websites. */
export function PlaceForm({ form: { id: formId, teamId }, placed }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const websites = useQuery({
    queryKey: ['websites', 'forForm', teamId, search],
    queryFn: async ({ signal }) =>
      (await request(WEBSITES, { teamId, search: search || null }, signal)).websites,
    placeholderData: keepPreviousData,
  });
  const place = useMutation({
    mutationFn: (websiteId: string) => addPlacement(websiteId, formId),
    onSuccess: async (_saved, websiteId) => {
      // The form itself is not read again: its draft may have changes.
      const changed = [['form', formId, 'placements'], ['website', websiteId], ['forms']];
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
      say(t('form.websites.placed'));
    },
  });
  return (
    <>
      <SearchSelect
        label={t('form.websites.add')}
        placeholder={t('choice.choose')}
        // What was chosen is shown until it is placed.
        value={place.isPending ? place.variables : null}
        query={websites}
        hasMore={websites.data?.pageInfo.hasNextPage}
        options={(websites.data?.edges ?? [])
          .filter(({ node }) => !placed.includes(node.id))
          .map(({ node }) => ({ value: node.id, text: node.name }))}
        onSearch={setSearch}
        onChange={({ value }) => place.mutate(value)}
      />
      {place.error && <ErrorBox error={place.error} />}
    </>
  );
}
