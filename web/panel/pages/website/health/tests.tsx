import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLanguage, useText } from '../../../language.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Section } from '../../../parts/layout/page.js';
import { Table } from '../../../parts/layout/table.js';
import { Moment } from '../../../parts/time/moment.js';
import { useMayManage } from '../../../session.js';
import type { Website } from '../queries.js';
import { TEST_FRAGMENT } from '../search.js';
import { DAYS, outcomesOf } from './days.js';
import { type Test, testsQuery } from './queries.js';
import styles from './tests.module.css';

const CELL = 6;
const GAP = 2;
const HEIGHT = 24;

/** Height of the mark of a day: a failure is seen without its colour. */
const MARKS = { passed: 14, failed: HEIGHT, none: 2 } as const;

/** The tests of the last ninety days, a mark for each day, and the last one that failed of each. */
export function Tests({ website: { id, teamId, timeZone } }: { website: Website }) {
  const t = useText();
  const mayManage = useMayManage(teamId);
  const tests = useQuery(testsQuery(id, useLanguage()));
  return (
    <Section
      title={t('health.tests')}
      actions={
        mayManage && (
          <Link to="." search={({ team }) => ({ team, tab: 'install' as const })} hash={TEST_FRAGMENT}>
            {t('health.toTest')}
          </Link>
        )
      }
    >
      <Loaded query={tests}>
        {(listed) =>
          listed.length === 0 ? (
            <p>{t('health.noTests')}</p>
          ) : (
            <>
              <DayMarks tests={listed} timeZone={timeZone} />
              <FailedTests tests={listed.filter(({ ok }) => ok === false)} timeZone={timeZone} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

type Props = Readonly<{ tests: readonly Test[]; timeZone: string }>;

function DayMarks({ tests, timeZone }: Props) {
  const t = useText();
  const outcomes = outcomesOf(tests, timeZone, new Date());
  const countOf = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
  const figures = { passed: countOf('passed'), failed: countOf('failed'), none: countOf('none') };
  return (
    <figure className={styles.figure}>
      <svg
        className={styles.days}
        viewBox={`0 0 ${DAYS * (CELL + GAP)} ${HEIGHT}`}
        role="img"
        aria-label={t('health.days', figures)}
      >
        {outcomes.map((outcome, day) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day is its position.
            key={day}
            data-outcome={outcome}
            x={day * (CELL + GAP)}
            y={HEIGHT - MARKS[outcome]}
            width={CELL}
            height={MARKS[outcome]}
          />
        ))}
      </svg>
      <figcaption>{t('health.days', figures)}</figcaption>
    </figure>
  );
}

function FailedTests({ tests, timeZone }: Props) {
  const t = useText();
  if (tests.length === 0) return null;
  return (
    <div className={styles.failed}>
      <Table label={t('health.failedTests')} headings={[t('health.when'), t('health.what')]}>
        {tests.map(({ id, startedAt, steps }) => (
          <tr key={id}>
            <td>
              <Moment at={startedAt} timeZone={timeZone} />
            </td>
            <td>
              {steps
                .filter(({ ok }) => !ok)
                .map(({ name, explanation }) => (
                  <p key={name}>{explanation}</p>
                ))}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
