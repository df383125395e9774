import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { request } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { MoreButton } from '../parts/buttons/more-button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Checkbox } from '../parts/fields/checkbox.js';
import field from '../parts/fields/field.module.css';
import { Select } from '../parts/fields/select.js';
import { useListKeys } from '../parts/keyboard/list-keys.js';
import { Page } from '../parts/layout/page.js';
import { Table } from '../parts/layout/table.js';
import { say } from '../parts/overlays/toasts.js';
import { useSearchText } from '../parts/search/search-text.js';
import { CreateDialog } from './people/dialogs.js';
import styles from './people/people.module.css';
import { PersonRow } from './people/person-row.js';
import { peopleQuery, REQUIRE, SETTING } from './people/queries.js';
import { SHOWN } from './people/search.js';

const route = getRouteApi('/shell/people');

/** The accounts of the installation, for staff. */
export function PeoplePage() {
  const t = useText();
  const { team, ...search } = route.useSearch();
  const people = useInfiniteQuery(peopleQuery(search, team));
  const rows = (people.data?.pages ?? []).flatMap(({ edges }) => edges.map(({ node }) => node));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t('people.title')}
      actions={<Button onPress={() => setCreating(true)}>{t('people.create')}</Button>}
    >
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      <Setting />
      <Filters />
      <Loaded query={people}>
        {() =>
          rows.length > 0 && (
            <div data-old={people.isPlaceholderData || undefined}>
              <Table
                label={t('people.title')}
                headings={[
                  t('people.name'),
                  t('people.teams'),
                  t('people.lastLogin'),
                  t('people.factor'),
                  '',
                ]}
              >
                {rows.map((person) => (
                  <PersonRow key={person.id} person={person} />
                ))}
              </Table>
            </div>
          )
        }
      </Loaded>
      <div role="status">
        {people.data && rows.length === 0 && (
          <EmptyState title={t('people.none')}>
            {(search.q || search.show) && (
              <Link to="/people" search={{ team }}>
                {t('filter.widen')}
              </Link>
            )}
          </EmptyState>
        )}
      </div>
      <MoreButton query={people}>{t('people.showMore')}</MoreButton>
    </Page>
  );
}

const SETTING_KEY = ['staffSecondFactor'];

/** Whether staff need a second factor, which shows at once and is taken back when the gateway refuses it. */
function Setting() {
  const t = useText();
  const client = useQueryClient();
  const setting = useQuery({
    queryKey: SETTING_KEY,
    queryFn: async ({ signal }) => (await request(SETTING, {}, signal)).installation.staffSecondFactor,
  });
  const change = useMutation({
    mutationFn: (required: boolean) => request(REQUIRE, { required }),
    onMutate: (required) => client.setQueryData(SETTING_KEY, required),
    onSuccess: () => say(t('action.saved')),
    onError: () => client.invalidateQueries({ queryKey: SETTING_KEY }),
  });
  return (
    <div className={styles.setting}>
      <Loaded query={setting}>
        {(isRequired) => (
          <Checkbox
            label={t('people.require')}
            isSelected={isRequired}
            onChange={(required) => change.mutate(required)}
          />
        )}
      </Loaded>
      <p className={styles.address}>{t('people.requireText')}</p>
      {change.error && <ErrorBox error={change.error} />}
    </div>
  );
}

/** The search and the list to show, which stand in the address. */
function Filters() {
  const t = useText();
  const { q, show } = route.useSearch();
  const navigate = useNavigate();
  const input = useListKeys(t('people.search'));
  const [text, setText] = useSearchText(q, (wanted, isAnother) => {
    void navigate({ to: '.', search: (given) => ({ ...given, q: wanted }), replace: isAnother });
  });
  return (
    <div className={styles.filters}>
      <SearchField
        aria-label={t('people.search')}
        className={styles.search!}
        value={text}
        onChange={setText}
        maxLength={200}
      >
        <Input ref={input} className={field.input!} placeholder={t('people.search')} aria-keyshortcuts="/" />
      </SearchField>
      <Select
        label={t('people.show')}
        value={show ?? 'all'}
        onChange={(value) => {
          const wanted = value === 'all' ? undefined : value;
          void navigate({ to: '.', search: (given) => ({ ...given, show: wanted }) });
        }}
        options={(['all', ...SHOWN] as const).map((value) => ({ value, text: t(`people.show.${value}`) }))}
      />
    </div>
  );
}
