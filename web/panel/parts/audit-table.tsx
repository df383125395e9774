import { useText } from '../language.js';
import { actionWords, detailWords } from './audit-words.js';
import { Moment } from './moment.js';
import { Table } from './table.js';

/** An event of the audit trail as its table shows it. */
export type ShownEvent = Readonly<{
  id: string;
  createdAt: string;
  action: string;
  subjectType: string;
  subjectId: string;
  channel: 'api' | 'panel' | 'command_line' | 'provision' | 'system';
  ip: string | null;
  detail: Record<string, unknown>;
  actor: Readonly<{ name: string }> | null;
}>;

/** Who did what, when and from where. */
export function AuditTable({ events }: { events: readonly ShownEvent[] }) {
  const t = useText();
  const headings = ['audit.when', 'audit.who', 'audit.what', 'audit.detail', 'audit.where'] as const;
  return (
    <Table label={t('audit.title')} headings={headings.map((id) => t(id))}>
      {events.map((event) => (
        <tr key={event.id}>
          <td>
            <Moment at={event.createdAt} />
          </td>
          <td>{event.actor?.name ?? t('audit.noPerson')}</td>
          <td>{actionWords(event.action, t)}</td>
          <td>{detailWords(event, t)}</td>
          <td>
            {t(`audit.channel.${event.channel}`)}
            {event.ip && ` · ${event.ip}`}
          </td>
        </tr>
      ))}
    </Table>
  );
}
