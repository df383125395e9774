import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/empty-state.js';
import { countOf } from './folders.js';
import type { Counts } from './queries.js';
import { type Folder, type InboxSearch, isNarrowed, isSearchable } from './search.js';

type Props = { folder: Folder; search: InboxSearch; counts: Counts | undefined };

/** Says why the list is empty, and what the next step is. */
export function NoLeads({ folder, search, counts }: Props) {
  const t = useText();
  const elsewhere = counts && folder !== 'all' ? countOf('all', counts).count : 0;
  if (!isSearchable(search.q)) {
    return (
      <EmptyState title={t('empty.unsearchable')}>
        <Link to="/inbox" search={({ team, folder: given }) => ({ team, folder: given })}>
          {t('filter.widen')}
        </Link>
      </EmptyState>
    );
  }
  if (isNarrowed(search)) {
    return (
      <EmptyState title={t('empty.narrowed')}>
        {elsewhere > 0 && (
          <Link to="/inbox" search={(given) => ({ ...given, folder: 'all' })}>
            {t('empty.elsewhere', { count: elsewhere })}
          </Link>
        )}
        <Link to="/inbox" search={({ team, folder: given }) => ({ team, folder: given })}>
          {t('filter.widen')}
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t(`empty.${folder}`)}>
      <p>{t(elsewhere > 0 || folder !== 'new' ? 'empty.hint' : 'empty.first')}</p>
      {elsewhere > 0 && (
        <Link to="/inbox" search={(given) => ({ ...given, folder: 'all' })}>
          {t('empty.showAll', { count: elsewhere })}
        </Link>
      )}
    </EmptyState>
  );
}
