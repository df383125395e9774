import { useMutation } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { say } from '../../parts/overlays/toasts.js';
import { saveFile } from '../../parts/save-file.js';
import type { DayFigures } from '../../parts/statistics/figures.js';
import type { Days } from '../../parts/statistics/period.js';
import type { Source } from '../../parts/statistics/sources.js';
import { tablesAsCsv } from './csv.js';
import { MAX_LISTED, readBreakdowns, readLeads, type Subject } from './queries.js';
import { breakdownTables, leadTables } from './tables.js';

type Props = {
  subject: Subject;
  days: Days;
  by: Source;
  figures: readonly DayFigures[];
};

/** Saves the figures and tables as a CSV file, with the rows that the page leaves out. */
export function CsvDownload({ subject, days, by, figures }: Props) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const download = useMutation({
    mutationFn: () =>
      Promise.all([readBreakdowns(subject, days, by, MAX_LISTED), readLeads(subject, days, MAX_LISTED)]),
    onSuccess([breakdowns, leads]) {
      const words = { t, formatDisplayName };
      const tables = [...breakdownTables(breakdowns, by, words), ...leadTables(leads, words)];
      const file = new Blob([tablesAsCsv(figures, tables, t)], { type: 'text/csv' });
      saveFile(file, `statistics-${days.from}-${days.to}.csv`);
    },
    onError: (error) => say(describeError(error, t).text),
  });
  return (
    <Button onPress={() => download.mutate()} isPending={download.isPending}>
      {t('report.csv')}
    </Button>
  );
}
