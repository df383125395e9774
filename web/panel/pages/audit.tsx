import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { AuditExport } from '../audit-export.js';
import { useText } from '../language.js';
import { AuditDayInputs } from '../parts/audit/audit-day-inputs.js';
import { AuditTable } from '../parts/audit/audit-table.js';
import { ACTIONS, auditWords } from '../parts/audit/audit-words.js';
import { Button } from '../parts/buttons/button.js';
import { MoreButton } from '../parts/buttons/more-button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { SearchSelect } from '../parts/fields/search-select.js';
import { Page } from '../parts/layout/page.js';
import styles from './audit/audit.module.css';
import { actorsQuery, auditQuery } from './audit/queries.js';
import { type AuditSearch, filterOf } from './audit/search.js';

const route = getRouteApi('/shell/audit');

/** The audit trail of the installation, or of the team that the pages are narrowed to. */
export function AuditPage() {
  const t = useText();
  const { team, ...search } = route.useSearch();
  const events = useInfiniteQuery(auditQuery(search, team));
  const [latest] = events.data?.pages ?? [];
  const actor = latest?.edges.find(({ node }) => node.actor?.id === search.actor)?.node.actor;
  return (
    <Page title={t('audit.title')} actions={<AuditExport filter={filterOf(search, team)} />}>
      <Filters search={search} actorName={actor?.name || actor?.email} />
      <Loaded query={events}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          return (
            <div data-old={events.isPlaceholderData || undefined}>
              {rows.length > 0 ? (
                <AuditTable events={rows} hasTeams={!team} />
              ) : (
                <EmptyState title={t('audit.none')} />
              )}
            </div>
          );
        }}
      </Loaded>
      <MoreButton query={events}>{t('audit.showMore')}</MoreButton>
    </Page>
  );
}

type FiltersProps = {
  search: AuditSearch;
  /** Of the actor, whom the accounts to choose from may not have. */
  actorName: string | undefined;
};

/** Actor, action and period, which stand in the address. */
function Filters({ search: { actor, action, from, to }, actorName }: FiltersProps) {
  const t = useText();
  const navigate = useNavigate();
  const { locale } = useIntl();
  const [typed, setTyped] = useState('');
  const actors = useQuery(actorsQuery(typed));
  const narrow = (changes: AuditSearch) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  const actions = ACTIONS.map((value) => ({ value, text: auditWords(value, t) })).sort((one, other) =>
    one.text.localeCompare(other.text, locale),
  );
  return (
    <div className={styles.filters}>
      <SearchSelect
        label={t('audit.who')}
        placeholder={t('audit.anybody')}
        value={actor ?? null}
        valueText={actorName}
        onSearch={setTyped}
        query={actors}
        hasMore={actors.data?.pageInfo.hasNextPage}
        options={(actors.data?.edges ?? []).map(({ node: { id, name, email } }) => ({
          value: id,
          text: `${name} · ${email}`,
        }))}
        onChange={({ value }) => narrow({ actor: value })}
      />
      <SearchSelect
        label={t('audit.what')}
        placeholder={t('audit.anything')}
        value={action ?? null}
        options={actions}
        onChange={({ value }) => narrow({ action: value })}
      />
      <AuditDayInputs value={{ from, to }} onChange={narrow} />
      {(actor || action || from || to) && (
        <Button
          variant="quiet"
          onPress={() => narrow({ actor: undefined, action: undefined, from: undefined, to: undefined })}
        >
          {t('audit.clear')}
        </Button>
      )}
    </div>
  );
}
