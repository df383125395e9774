import { useQuery } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { parseStepKey } from '../../../../../src/captcha/step.js';
import { useText } from '../../../language.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Table } from '../../../parts/layout/table.js';
import { nameKey } from '../../../parts/step-name.js';
import styles from './chain-figures.module.css';
import { type VerdictCount, verdictsQuery } from './queries.js';

/** The columns of the table. That a step was not available is told by what came of it, the last two. */
const SHOWN = ['accepted', 'refused', 'fallback', 'pass_through'] as const;

const countOf = (counts: readonly VerdictCount[], key: string, verdict: VerdictCount['verdict']): number =>
  counts.find((one) => one.linkKey === key && one.verdict === verdict)?.count ?? 0;

/** What the steps have decided in the last thirty days, those included that the chain no longer has. */
export function ChainFigures({ websiteId, keys }: { websiteId: string; keys: readonly string[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const verdicts = useQuery(verdictsQuery(websiteId));
  return (
    <Loaded query={verdicts}>
      {(counts) => {
        // Without a chain of its own, a website has the proof of work of the installation.
        const isGone = (key: string) =>
          !keys.includes(key) && !(keys.length === 0 && parseStepKey(key)?.type === 'altcha');
        const all = [...new Set([...keys, ...counts.map(({ linkKey }) => linkKey)])];
        if (counts.length === 0) return <p className={styles.hint}>{t('chain.figures.none')}</p>;
        return (
          <>
            <Table
              label={t('chain.figures')}
              hasNumbers
              headings={[t('chain.column.step'), ...SHOWN.map((verdict) => t(`chain.column.${verdict}`))]}
            >
              {all.map((key) => (
                <tr key={key}>
                  <th scope="row">
                    {nameKey(key, all, t)}
                    {isGone(key) && <span className={styles.hint}> {t('chain.gone')}</span>}
                  </th>
                  {SHOWN.map((verdict) => (
                    <td key={verdict}>{formatNumber(countOf(counts, key, verdict))}</td>
                  ))}
                </tr>
              ))}
            </Table>
            <p className={styles.hint}>{t('chain.figures.text')}</p>
          </>
        );
      }}
    </Loaded>
  );
}
