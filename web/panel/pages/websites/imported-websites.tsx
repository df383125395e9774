import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Table } from '../../parts/layout/table.js';
import styles from './import.module.css';
import type { Import } from './queries.js';

type Row = Import['rows'][number];
type Settings = NonNullable<Row['settings']>;
type Setting = keyof Settings;

/** Settings that every website has, in the order of their columns; the name stands before the row. */
const ALWAYS = ['host', 'url', 'locale', 'email', 'timeZone'] as const satisfies readonly Setting[];

/** Settings that a file may leave out. */
const OTHERS = [
  'company',
  'address',
  'zipcode',
  'city',
  'country',
  'phone',
  'logo',
  'departments',
] as const satisfies readonly Setting[];

/** The websites that an import would create, with every setting; one that is empty in all rows has no column. */
export function ImportedWebsites({ label, rows }: { label: string; rows: readonly Row[] }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const websites = rows.flatMap(({ row, settings }) => (settings ? [{ row, settings }] : []));
  const written = OTHERS.filter((setting) => websites.some(({ settings }) => settings[setting].length > 0));
  const columns: readonly Setting[] = [...ALWAYS, ...written];
  const textOf = (settings: Settings, setting: Setting): string => {
    if (setting === 'departments') return settings.departments.join(', ');
    if (setting !== 'locale') return settings[setting];
    return formatDisplayName(settings.locale, { type: 'language' }) ?? settings.locale;
  };
  const headingOf = (setting: Setting): string => {
    if (setting === 'locale') return t('website.language');
    if (setting === 'timeZone') return t('website.timeZone');
    return setting === 'departments' ? t('website.departments') : t(`website.setting.${setting}`);
  };
  return (
    <div className={styles.websites}>
      <Table label={label} headings={[t('website.setting.name'), t('import.row'), ...columns.map(headingOf)]}>
        {websites.map(({ row, settings }) => (
          <tr key={row}>
            <th scope="row" dir="auto">
              {settings.name}
            </th>
            <td>{row}</td>
            {columns.map((setting) => (
              <td key={setting}>{textOf(settings, setting)}</td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}
