import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Input, type Key, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { graphql, request } from '../graphql.js';
import { useText } from '../language.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import field from '../parts/fields/field.module.css';
import { MoreChoices } from '../parts/fields/more-choices.js';
import { CheckIcon } from '../parts/icons/icons.js';

const TEAMS = graphql(`
  query teams($search: String!) {
    teams(first: 50, search: $search) {
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

type Props = { chosen: string | undefined; onChoose(team: string | undefined): void };

/** Stands for all teams among the ids of the list. */
const ALL = 'all';

/** The teams that the viewer sees, to search and choose from. */
export function TeamList({ chosen, onChoose }: Props) {
  const t = useText();
  const [search, setSearch] = useState('');
  const teams = useQuery({
    queryKey: ['teams', search],
    queryFn: async ({ signal }) => (await request(TEAMS, { search: search.trim() }, signal)).teams,
    placeholderData: keepPreviousData,
  });
  return (
    <Autocomplete inputValue={search} onInputChange={setSearch}>
      <SearchField aria-label={t('team.search')} autoFocus>
        <Input className={field.input!} placeholder={t('team.search')} />
      </SearchField>
      <Loaded query={teams} skeleton={<Skeleton />}>
        {({ edges, pageInfo }) => (
          <>
            <ListBox
              aria-label={t('team.label')}
              className={field.options!}
              selectionMode="single"
              selectedKeys={[chosen ?? ALL]}
              onSelectionChange={(keys) => {
                // The current one, pressed again, is in it no longer.
                const [key = chosen ?? ALL] = keys as Set<Key>;
                onChoose(key === ALL ? undefined : String(key));
              }}
              renderEmptyState={() => <p className={field.hint}>{t('team.none')}</p>}
            >
              {[...(search ? [] : [{ id: ALL, name: t('team.all') }]), ...edges.map(({ node }) => node)].map(
                ({ id, name }) => (
                  <ListBoxItem key={id} id={id} textValue={name} className={field.option!}>
                    {name}
                    {id === (chosen ?? ALL) && <CheckIcon />}
                  </ListBoxItem>
                ),
              )}
            </ListBox>
            {pageInfo.hasNextPage && <MoreChoices />}
          </>
        )}
      </Loaded>
    </Autocomplete>
  );
}
