import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { downloadCsv } from '../download.js';
import { useText } from '../language.js';
import { AuditTable } from '../parts/audit/audit-table.js';
import { ACTIONS, auditWords } from '../parts/audit/audit-words.js';
import { Button } from '../parts/button.js';
import { EmptyState } from '../parts/empty-state.js';
import { describeError } from '../parts/error-words.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { SearchSelect } from '../parts/search-select.js';
import { TextField } from '../parts/text-field.js';
import { say } from '../parts/toasts.js';
import styles from './audit/audit.module.css';
import { actorsQuery, auditQuery } from './audit/queries.js';
import { type AuditSearch, filterOf } from './audit/search.js';

const route = getRouteApi('/shell/audit');

/** The audit trail of the installation, or of the team that the pages are narrowed to. */
export function AuditPage() {
  const t = useText();
  const { team, ...search } = route.useSearch();
  const events = useInfiniteQuery(auditQuery(search, team));
  return (
    <Page title={t('audit.title')} actions={<Export search={search} team={team} />}>
      <Filters search={search} />
      <Loaded query={events}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          return rows.length > 0 ? (
            <AuditTable events={rows} hasTeams={!team} />
          ) : (
            <EmptyState title={t('audit.none')} />
          );
        }}
      </Loaded>
      {events.hasNextPage && (
        <Button onPress={() => void events.fetchNextPage()} isPending={events.isFetchingNextPage}>
          {t('audit.showMore')}
        </Button>
      )}
    </Page>
  );
}

/** Downloads what the list finds for a spreadsheet. */
function Export({ search, team }: { search: AuditSearch; team: string | undefined }) {
  const t = useText();
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const query = new URLSearchParams(filterOf(search, team));
      await downloadCsv(`panel/exports/audit.csv?${query}`, new AbortController().signal, () => {});
    } catch (error) {
      say(describeError(error as Error, t).text);
    }
    setPending(false);
  };
  return (
    <Button onPress={() => void download()} isPending={isPending}>
      {t('action.export')}
    </Button>
  );
}

/** Actor, action and period, which stand in the address. */
function Filters({ search: { actor, action, from, to } }: { search: AuditSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { data: actors = [] } = useQuery(actorsQuery(typed));
  const narrow = (changes: AuditSearch) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  const actions = ACTIONS.map((value) => ({ value, text: auditWords(value, t) }));
  return (
    <div className={styles.filters}>
      <SearchSelect
        label={t('audit.who')}
        placeholder={t('audit.anybody')}
        value={actor ?? null}
        onSearch={setTyped}
        options={actors.map(({ id, name, email }) => ({ value: id, text: `${name} · ${email}` }))}
        onChange={({ value }) => narrow({ actor: value })}
      />
      <SearchSelect
        label={t('audit.what')}
        placeholder={t('audit.anything')}
        value={action ?? null}
        options={actions}
        onChange={({ value }) => narrow({ action: value })}
      />
      <TextField
        name="from"
        type="date"
        label={t('audit.since')}
        value={from ?? ''}
        onChange={(day) => narrow({ from: day || undefined })}
      />
      <TextField
        name="to"
        type="date"
        label={t('audit.until')}
        value={to ?? ''}
        onChange={(day) => narrow({ to: day || undefined })}
      />
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
