import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import field from '../../../parts/fields/field.module.css';
import { CheckIcon } from '../../../parts/icons/icons.js';
import { useRestingSearch } from '../../../parts/search/resting-search.js';
import styles from './filters.module.css';

const WEBSITES = graphql(`
  query websiteChoices($search: String, $teamId: ID) {
    websites(first: 50, search: $search, teamId: $teamId) {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`);

const FORMS = graphql(`
  query formChoices($search: String, $teamId: ID) {
    forms(first: 50, search: $search, teamId: $teamId) {
      edges {
        node {
          id
          name
        }
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

type Choice = Readonly<{ id: string; name: string }>;
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
  variables: { search: string | null; teamId: string | null },
  signal: AbortSignal,
): Promise<Choice[]> {
  if (of === 'websites') {
    return (await request(WEBSITES, variables, signal)).websites.edges.map(({ node }) => node);
  }
  if (of === 'forms') return (await request(FORMS, variables, signal)).forms.edges.map(({ node }) => node);
  const { locales } = (await request(LANGUAGES, {}, signal)).installation;
  return locales.map((id) => ({ id, name: id }));
}

/** Things to narrow the list to, several at once; a search finds one among many. */
export function ChoiceList({ of, team, chosen, onChange }: Props) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const [wanted, setWanted] = useState('');
  const search = useRestingSearch(setWanted);
  const choices = useQuery({
    queryKey: ['choices', of, team, wanted],
    queryFn: ({ signal }) => readChoices(of, { search: wanted || null, teamId: team ?? null }, signal),
    placeholderData: keepPreviousData,
  });
  const nameOf = ({ id, name }: Choice) =>
    of === 'languages' ? (formatDisplayName(id, { type: 'language' }) ?? id) : name;
  const list = (
    <Loaded query={choices} skeleton={<Skeleton />}>
      {(all) => (
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
            <ListBoxItem key={choice.id} id={choice.id} textValue={nameOf(choice)} className={field.option!}>
              {({ isSelected }) => (
                <>
                  <span className={styles.choice}>{nameOf(choice)}</span>
                  {isSelected && <CheckIcon />}
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
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
