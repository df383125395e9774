import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { Note } from '../../parts/feedback/note.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { TEXT_SETTINGS } from '../../website-settings/draft.js';
import styles from './import.module.css';
import { ImportedWebsites } from './imported-websites.js';
import type { Import } from './queries.js';

type SummaryProps = { found: Import; team: string };

/** Says to screen readers what the heading of the preview says, or to all that there is nothing to show. */
export function ImportSummary({ found: { faultCount, rows }, team }: SummaryProps) {
  const t = useText();
  if (faultCount > 0) return <p className={styles.spoken}>{t('import.faults', { count: faultCount })}</p>;
  if (rows.length === 0) return <Note>{t('import.empty')}</Note>;
  return <p className={styles.spoken}>{t('import.rows', { count: rows.length, team })}</p>;
}

type Props = SummaryProps & { isPending: boolean; onCreate(): void };

/** The setting that a column is. */
const settingOf = (column: string): string => (column === 'time_zone' ? 'timeZone' : column);

const SETTINGS = [...TEXT_SETTINGS, 'locale', 'timeZone', 'departments'] as const;

/** What an import has found: every fault by row and column, else the websites that it would create. */
export function ImportPreview({ found, team, isPending, onCreate }: Props) {
  const t = useText();
  const { faults, faultCount, rows } = found;
  const wordsOf = ({ column, reason }: Import['faults'][number]): string => {
    const known = SETTINGS.find((setting) => column !== null && setting === settingOf(column));
    return reason === 'invalid' && known ? t(`import.invalid.${known}`) : t(`import.reason.${reason}`);
  };
  if (faultCount > 0) {
    return (
      <Section title={t('import.faults', { count: faultCount })}>
        <Note>{t('import.faultsText')}</Note>
        <div className={styles.faults}>
          <Table
            label={t('import.faults', { count: faultCount })}
            headings={[t('import.row'), t('import.column'), t('import.fault')]}
          >
            {faults.map((fault) => (
              <tr key={`${fault.row} ${fault.column} ${fault.message}`}>
                <th scope="row">{t('import.rowNumber', { number: fault.row })}</th>
                <td>{fault.column ?? t('import.wholeRow')}</td>
                <td title={fault.message}>{wordsOf(fault)}</td>
              </tr>
            ))}
          </Table>
        </div>
      </Section>
    );
  }
  if (rows.length === 0) return null;
  return (
    <Section
      title={t('import.rows', { count: rows.length, team })}
      actions={
        <Button variant="primary" onPress={onCreate} isPending={isPending}>
          {t('import.create', { count: rows.length })}
        </Button>
      }
    >
      <ImportedWebsites label={t('import.rows', { count: rows.length, team })} rows={rows} />
    </Section>
  );
}
