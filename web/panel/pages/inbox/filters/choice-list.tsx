import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { useIntl } from 'react-intl';
import { graphql, request, type VariablesOf } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import field from '../../../parts/fields/field.module.css';
import { MoreChoices } from '../../../parts/fields/more-choices.js';
import { CheckIcon } from '../../../parts/icons/icons.js';
import { useRestingSearch } from '../../../parts/search/resting-search.js';
import { useViewer } from '../../../session.js';
import styles from './filters.module.css';

const WEBSITES = graphql(`
  query websiteChoices($search: String, $teamId: ID, $hasTeams: Boolean!) {
    websites(first: 50, search: $search, teamId: $teamId) {
      edges {
        node {
          id
          name
          team @include(if: $hasTeams) {
            name
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const FORMS = graphql(`
  query formChoices($search: String, $teamId: ID, $hasTeams: Boolean!) {
    forms(first: 50, search: $search, teamId: $teamId) {
      edges {
        node {
          id
          name
          team @include(if: $hasTeams) {
            name
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const LANGUAGES = graphql(`
  query languageChoices {
    installation {
      locales
    }
  }
`);

type Choice = Readonly<{ id: string; name: string; team?: Readonly<{ name: string }> | undefined }>;
type Choices = Readonly<{ all: readonly Choice[]; hasMore: boolean }>;
type Kind = 'websites' | 'forms' | 'languages';

type Props = {
  of: Kind;
  team: string | undefined;
  chosen: readonly string[] | undefined;
  /** Given no ids when the list is no longer to be narrowed by these. */
  onChange(ids: string[] | undefined): void;
};

/** Reads what there is to choose from, as far as it fits a search. */
async function readChoices(
  of: Kind,
  variables: VariablesOf<typeof WEBSITES>,
  signal: AbortSignal,
): Promise<Choices> {
  if (of === 'languages') {
    const { locales } = (await request(LANGUAGES, {}, signal)).installation;
    return { all: locales.map((id) => ({ id, name: id })), hasMore: false };
  }
  const { edges, pageInfo } =
    of === 'websites'
      ? (await request(WEBSITES, variables, signal)).websites
      : (await request(FORMS, variables, signal)).forms;
  return { all: edges.map(({ node }) => node), hasMore: pageInfo.hasNextPage };
}

/** Things to narrow the list to, several at once; a search finds one among many. */
export function ChoiceList({ of, team, chosen, onChange }: Props) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const [wanted, setWanted] = useState('');
  const search = useRestingSearch(setWanted);
  const { staff, teams } = useViewer();
  // Several teams may have websites and forms of the same name.
  const hasTeams = team === undefined && (staff || teams.length > 1);
  const choices = useQuery({
    queryKey: ['choices', of, team, wanted, hasTeams],
    queryFn: ({ signal }) =>
      readChoices(of, { search: wanted || null, teamId: team ?? null, hasTeams }, signal),
    placeholderData: keepPreviousData,
  });
  const nameOf = ({ id, name }: Choice) =>
    of === 'languages' ? (formatDisplayName(id, { type: 'language' }) ?? id) : name;
  const list = (
    <Loaded query={choices} skeleton={<Skeleton />}>
      {({ all, hasMore }) => (
        <>
          <ListBox
            aria-label={t(`filter.list.${of}`)}
            className={field.options!}
            selectionMode="multiple"
            selectionBehavior="toggle"
            selectedKeys={chosen ?? []}
            onSelectionChange={(keys) => {
              const shown = new Set(all.map(({ id }) => id));
              // Those that the search hides stay chosen.
              const kept = (chosen ?? []).filter((id) => !shown.has(id));
              const ids = [...kept, ...[...keys].map(String).filter((id) => shown.has(id))];
              onChange(ids.length > 0 ? ids : undefined);
            }}
            renderEmptyState={() => <p className={field.hint}>{t('filter.none')}</p>}
          >
            {all.map((choice) => (
              <ListBoxItem
                key={choice.id}
                id={choice.id}
                textValue={[nameOf(choice), choice.team?.name].filter(Boolean).join(', ')}
                className={field.option!}
              >
                {({ isSelected }) => (
                  <>
                    <span className={styles.choice}>
                      {nameOf(choice)}
                      {choice.team && <span className={styles.team}> {choice.team.name}</span>}
                    </span>
                    {isSelected && <CheckIcon />}
                  </>
                )}
              </ListBoxItem>
            ))}
          </ListBox>
          {hasMore && <MoreChoices />}
        </>
      )}
    </Loaded>
  );
  return (
    <>
      {of === 'languages' ? (
        list
      ) : (
        <Autocomplete onInputChange={search}>
          <SearchField aria-label={t('filter.search')} autoFocus>
            <Input className={field.input!} placeholder={t('filter.search')} />
          </SearchField>
          {list}
        </Autocomplete>
      )}
      {chosen && (
        <Button variant="quiet" onPress={() => onChange(undefined)}>
          {t('filter.any')}
        </Button>
      )}
    </>
  );
}
