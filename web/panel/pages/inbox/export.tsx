import { memo } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { sayUntilClosed } from '../../parts/overlays/toasts.js';
import { runExport, useRunningExport } from '../../running-export.js';
import type { Filter } from './search.js';

type Props = {
  filter: Filter;
  /** How many leads the list finds; null unless that is known exactly. */
  total: number | null;
  /** Whether leads are selected, which the file is not narrowed to. */
  hasSelection: boolean;
};

/**
 * Downloads what the list finds for a spreadsheet. It goes on when the page is left: the shell tells how far it is, and
 * what was waited for comes, or is told to have failed.
 */
export const Export = memo(function Export({ filter, total, hasSelection }: Props) {
  const t = useText();
  const isRunning = useRunningExport() !== null;

  const download = () => {
    const given = Object.entries(filter).map(([name, value]) => [name, String(value)]);
    runExport(`panel/exports/submissions.csv?${new URLSearchParams(given)}`, total).catch((error) =>
      sayUntilClosed(t('export.failed', { reason: describeError(error, t).text })),
    );
  };

  return (
    <Button onPress={download} isPending={isRunning}>
      {t(hasSelection ? 'export.all' : 'action.export')}
    </Button>
  );
});
