import { useState } from 'react';
import { downloadCsv } from './download.js';
import { useText } from './language.js';
import { Button } from './parts/button.js';
import { describeError } from './parts/error-words.js';
import { say } from './parts/toasts.js';

type Props = {
  /** What the audit trail is narrowed to, as the gateway's download takes it. */
  filter: Readonly<Record<string, string>>;
};

/** Downloads the audit trail, as far as the list shows it, for a spreadsheet. */
export function AuditExport({ filter }: Props) {
  const t = useText();
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const path = `panel/exports/audit.csv?${new URLSearchParams(filter)}`;
      await downloadCsv(path, new AbortController().signal, () => {});
    } catch (error) {
      say(describeError(error as Error, t).text);
    }
    setPending(false);
  };
  return (
    <Button onPress={() => void download()} isPending={isPending}>
      {t('action.export')}
    </Button>
  );
}
