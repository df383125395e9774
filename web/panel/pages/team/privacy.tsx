import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Section } from '../../parts/layout/page.js';
import { Moment } from '../../parts/time/moment.js';
import { useMayManage, useOversees } from '../../session.js';
import { type Retention, retentionQuery } from './privacy/queries.js';
import { Receipts } from './privacy/receipts.js';
import { RetentionFacts } from './privacy/retention-facts.js';
import { RetentionForm } from './privacy/retention-form.js';
import styles from './privacy.module.css';

/** For how long a team keeps leads, and the receipts of what it has erased. A member reads the periods. */
export function PrivacyTab({ teamId }: { teamId: string }) {
  const t = useText();
  const mayManage = useMayManage(teamId);
  const isManager = useOversees(teamId);
  const retention = useQuery(retentionQuery(teamId));
  return (
    <div className={styles.privacy}>
      <Section title={t('retention.keeping')}>
        <Loaded query={retention} skeleton={<Skeleton lines={6} />}>
          {(stored) => (
            <>
              {mayManage ? (
                <RetentionForm teamId={teamId} stored={stored} />
              ) : (
                <RetentionFacts retention={stored} />
              )}
              <LatestRun run={stored.latestRun} />
            </>
          )}
        </Loaded>
      </Section>
      <Section title={t('person.title')}>
        <p>{t(mayManage ? 'retention.personText' : 'retention.personReadText')}</p>
        <p>
          <Link to="/privacy" search={{ team: teamId }}>
            {t('retention.personLink')}
          </Link>
        </p>
      </Section>
      {isManager && (
        <Section title={t('receipt.title')}>
          <Receipts teamId={teamId} />
        </Section>
      )}
    </div>
  );
}

function LatestRun({ run }: { run: Retention['latestRun'] }) {
  const t = useText();
  return (
    <p className={styles.muted}>
      {run ? (
        <>
          {t(run.finishedAt ? 'retention.lastRun' : 'retention.running')} <Moment at={run.startedAt} />
        </>
      ) : (
        t('retention.noRun')
      )}
    </p>
  );
}
