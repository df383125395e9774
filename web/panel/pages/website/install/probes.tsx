import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { request } from '../../../graphql.js';
import { useLanguage, useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Badge } from '../../../parts/layout/badge.js';
import { Section } from '../../../parts/layout/page.js';
import { Table } from '../../../parts/layout/table.js';
import { Moment } from '../../../parts/time/moment.js';
import { useMayManage } from '../../../session.js';
import type { Website } from '../queries.js';
import { TEST_FRAGMENT } from '../search.js';
import { ProbeSteps } from './probe-steps.js';
import styles from './probes.module.css';
import { type Probe, probesQuery, RUN_PROBE } from './queries.js';

const LOOK_EVERY_MS = 400;

/** Tests a website on demand, shows each step as soon as it is known, and lists the former tests. */
export function Probes({ website: { id, teamId, timeZone } }: { website: Website }) {
  const t = useText();
  const client = useQueryClient();
  const mayManage = useMayManage(teamId);
  const query = probesQuery(id, useLanguage());
  /** The newest probe when a test was begun: what the list still shows until the new one is in it. */
  const [before, setBefore] = useState<string | null>(null);
  const run = useMutation({
    mutationFn: () => request(RUN_PROBE, { id }),
    onMutate: () => setBefore(client.getQueryData(query.queryKey)?.[0]?.id ?? null),
    onSettled: () => client.invalidateQueries(query),
  });
  const probes = useQuery({
    ...query,
    refetchInterval: ({ state }) =>
      run.isPending || state.data?.some(({ ok }) => ok === null) ? LOOK_EVERY_MS : false,
  });
  const isAimedAt = useLocation({ select: ({ hash }) => hash === TEST_FRAGMENT });
  const section = useRef<HTMLElement>(null);
  // The router looks for the fragment before the page has been read.
  useEffect(() => {
    if (isAimedAt) section.current?.scrollIntoView();
  }, [isAimedAt]);
  return (
    <Section
      ref={section}
      title={t('probe.title')}
      actions={
        mayManage && (
          <Button variant="primary" isPending={run.isPending} onPress={() => run.mutate()}>
            {t('probe.run')}
          </Button>
        )
      }
    >
      <p className={styles.text}>{t('probe.text')}</p>
      {run.error && <ErrorBox error={run.error} />}
      <Loaded query={probes}>
        {(listed) => {
          const isBeginning = run.isPending && (listed[0]?.id ?? null) === before;
          const [shown, ...former] = isBeginning ? [null, ...listed] : listed;
          return (
            <>
              {shown !== undefined && <Shown probe={shown} timeZone={timeZone} />}
              {former.length > 0 && <FormerProbes probes={former as Probe[]} timeZone={timeZone} />}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** What a probe that has ended came to: the words of `probe.…`. A killed process leaves none of its steps failed. */
function outcomeOf({ ok, steps }: Probe) {
  if (!ok) return steps.every((step) => step.ok) ? 'brokenOff' : 'failed';
  return steps.every(({ explanation }) => explanation === null) ? 'passed' : 'passedInPart';
}

/** A probe in full; null: it is about to begin. */
function Shown({ probe, timeZone }: { probe: Probe | null; timeZone: string }) {
  const t = useText();
  const isRunning = probe === null || probe.ok === null;
  return (
    <>
      <p role="status" className={styles.outcome} data-ok={probe?.ok}>
        {t(isRunning ? 'probe.running' : `probe.${outcomeOf(probe)}`)}
      </p>
      {probe && (
        <p className={styles.when}>
          <Moment at={probe.startedAt} timeZone={timeZone} />
        </p>
      )}
      <ProbeSteps steps={probe?.steps ?? []} isRunning={isRunning} />
    </>
  );
}

const TONES = { running: 'neutral', passed: 'good', failed: 'danger' } as const;

function FormerProbes({ probes, timeZone }: { probes: readonly Probe[]; timeZone: string }) {
  const t = useText();
  const { formatList, formatNumber } = useIntl();
  const headings = [t('probe.when'), t('probe.outcome'), t('probe.where'), t('probe.duration')];
  return (
    <>
      <h3>{t('probe.former')}</h3>
      <Table label={t('probe.former')} headings={headings}>
        {probes.map(({ id, ok, startedAt, steps }) => {
          const failed = steps.filter((step) => !step.ok).map(({ name }) => t(`probe.step.${name}`));
          const state = ok === null ? 'running' : ok ? 'passed' : 'failed';
          const ms = steps.reduce((sum, step) => sum + step.ms, 0);
          return (
            <tr key={id}>
              <td>
                <Moment at={startedAt} timeZone={timeZone} />
              </td>
              <td>
                <Badge tone={TONES[state]}>{t(`probe.state.${state}`)}</Badge>
              </td>
              <td>{formatList(failed)}</td>
              <td>
                {formatNumber(ms / 1_000, {
                  style: 'unit',
                  unit: 'second',
                  unitDisplay: 'short',
                  maximumSignificantDigits: 2,
                })}
              </td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}
