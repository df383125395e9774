import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { MoreButton } from '../../parts/buttons/more-button.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Page } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { saveFile } from '../../parts/save-file.js';
import { dayIn, daysOf } from '../../parts/statistics/period.js';
import styles from '../captcha.module.css';
import { Filters } from './filters.js';
import { Incidents } from './incidents.js';
import { incidentsCsv } from './incidents-csv.js';
import { type IncidentChoice, incidentsQuery, readAllIncidents } from './queries.js';

const route = getRouteApi('/shell/captcha/incidents');

/** The captcha incidents of some days on all websites, on one, or of one provider; the address has the choice. */
export function IncidentsPage() {
  const t = useText();
  const search = route.useSearch();
  const { team, site, provider } = search;
  const now = new Date();
  const { from, to } = daysOf(search, 'UTC', now);
  const choice = useMemo(
    () => ({ team, site, provider, days: { from, to } }),
    [team, site, provider, from, to],
  );
  const incidents = useInfiniteQuery(incidentsQuery(choice));
  return (
    <Page title={t('console.incidents')} actions={<Export choice={choice} />}>
      <p className={styles.back}>
        <Link to="/captcha" search={search}>
          {t('console.back')}
        </Link>
      </p>
      <Filters search={search} days={choice.days} today={dayIn(now, 'UTC')} />
      <Loaded query={incidents} skeleton={<Skeleton lines={12} />}>
        {({ pages }) => (
          <div data-old={incidents.isPlaceholderData || undefined}>
            <Incidents incidents={pages.flatMap(({ edges }) => edges.map(({ node }) => node))} />
          </div>
        )}
      </Loaded>
      <MoreButton query={incidents}>{t('incident.more')}</MoreButton>
    </Page>
  );
}

/** Saves all incidents of the choice for a spreadsheet, in the viewer's language. */
function Export({ choice }: { choice: IncidentChoice }) {
  const t = useText();
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      const csv = incidentsCsv(await readAllIncidents(choice), t);
      const { from, to } = choice.days;
      saveFile(new Blob([csv], { type: 'text/csv' }), `incidents-${from}-${to}.csv`);
    } catch (error) {
      say(describeError(error as Error, t).text);
    }
    setPending(false);
  };
  return (
    <Button onPress={() => void save()} isPending={isPending}>
      {t('action.export')}
    </Button>
  );
}
