import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useText } from '../language.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { Page, Section } from '../parts/layout/page.js';
import { dayIn, daysOf } from '../parts/statistics/period.js';
import styles from '../parts/statistics/statistics.module.css';
import { Credentials } from './captcha/credentials.js';
import { Filters } from './captcha/filters.js';
import { LatestIncidents } from './captcha/latest-incidents.js';
import { Providers } from './captcha/providers.js';
import { figuresQuery } from './captcha/queries.js';
import { Troubles } from './captcha/troubles.js';
import { Verdicts } from './captcha/verdicts.js';

const route = getRouteApi('/shell/captcha');

/** Captchas over all websites: what fails now, what steps said, why visitors were refused, credentials, incidents. */
export function CaptchaPage() {
  const t = useText();
  const search = route.useSearch();
  const { team, site, provider } = search;
  const now = new Date();
  // Verdicts are counted by days in UTC.
  const { from, to } = daysOf(search, 'UTC', now);
  const days = useMemo(() => ({ from, to }), [from, to]);
  const narrowed = { team, site };
  const figures = useQuery(figuresQuery(narrowed, days, provider));
  return (
    <Page title={t('console.title')}>
      <Section title={t('console.now')}>
        <Troubles narrowed={narrowed} provider={provider} />
      </Section>
      <Section title={t('console.providers')}>
        <Providers narrowed={narrowed} provider={provider} today={dayIn(now, 'UTC')} />
      </Section>
      <Section title={t('console.figures')}>
        <Filters search={search} days={days} today={dayIn(now, 'UTC')} />
        <Loaded query={figures} skeleton={<Skeleton lines={12} />}>
          {(found) => (
            <div className={styles.statistics} data-old={figures.isPlaceholderData || undefined}>
              <Verdicts figures={found} days={days} />
            </div>
          )}
        </Loaded>
      </Section>
      <Section title={t('console.credentials')}>
        <Credentials key={team} team={team} />
      </Section>
      <Section title={t('incident.title')}>
        <LatestIncidents choice={{ ...narrowed, days, provider }} />
      </Section>
    </Page>
  );
}
