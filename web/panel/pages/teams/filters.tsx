import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Input, SearchField } from 'react-aria-components';
import { useText } from '../../language.js';
import field from '../../parts/fields/field.module.css';
import { Select } from '../../parts/fields/select.js';
import { useListKeys } from '../../parts/keyboard/list-keys.js';
import { useSearchText } from '../../parts/search/search-text.js';
import { plansQuery } from '../../parts/teams/plans.js';
import { useViewer } from '../../session.js';
import styles from '../teams.module.css';
import { SHOWN, type TeamsSearch } from './search.js';

const route = getRouteApi('/shell/teams');

/** Search, state and, for staff, the plan, which stand in the address. */
export function Filters() {
  const t = useText();
  const { staff } = useViewer();
  const { q, plan, show } = route.useSearch();
  const navigate = useNavigate();
  const { data: plans = [] } = useQuery({ ...plansQuery, enabled: staff });
  const input = useListKeys(t('team.search'));
  const [text, setText] = useSearchText(q, (wanted, isAnother) => {
    void navigate({ to: '.', search: (given) => ({ ...given, q: wanted }), replace: isAnother });
  });
  const narrow = (changes: TeamsSearch) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  return (
    <div className={styles.filters}>
      <SearchField
        aria-label={t('team.search')}
        className={styles.search!}
        value={text}
        onChange={setText}
        maxLength={200}
      >
        <Input ref={input} className={field.input!} placeholder={t('team.search')} aria-keyshortcuts="/" />
      </SearchField>
      <Select
        label={t('teams.show')}
        value={show ?? 'all'}
        onChange={(value) => narrow({ show: value === 'all' ? undefined : value })}
        options={(['all', ...SHOWN] as const).map((value) => ({ value, text: t(`teams.show.${value}`) }))}
      />
      {staff && (
        <Select
          label={t('plans.plan')}
          value={plan ?? 'all'}
          onChange={(value) => narrow({ plan: value === 'all' ? undefined : value })}
          options={[
            { value: 'all', text: t('plans.all') },
            ...plans.map(({ id, name }) => ({ value: id, text: name })),
          ]}
        />
      )}
    </div>
  );
}
