import { DownloadButton } from './download-button.js';
import { useText } from './language.js';

type Props = {
  /** What the audit trail is narrowed to, as the gateway's download takes it. */
  filter: Readonly<Record<string, string>>;
};

/** Downloads the audit trail, as far as the list shows it, for a spreadsheet. */
export function AuditExport({ filter }: Props) {
  const t = useText();
  return (
    <DownloadButton path={`panel/exports/audit.csv?${new URLSearchParams(filter)}`}>
      {t('action.export')}
    </DownloadButton>
  );
}
