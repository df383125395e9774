import { useText } from '../../language.js';
import { Moment } from '../moment.js';
import { Table } from '../table.js';
import styles from './audit-table.module.css';
import { auditDetail, auditWords } from './audit-words.js';

/** An event of the audit trail. */
export type ShownEvent = Readonly<{
  id: string;
  createdAt: string;
  channel: 'api' | 'panel' | 'command_line' | 'provision' | 'system';
  action: string;
  subjectType: string;
  subjectId: string;
  ip: string | null;
  detail: Readonly<Record<string, unknown>>;
  /** Null: it was about the installation, or an account. */
  team?: Readonly<{ name: string }> | null;
  actor: Readonly<{ id: string; name: string; email: string; deleted: boolean }> | null;
}>;

type Props = {
  events: readonly ShownEvent[];
  /** Whether the events are of several teams. */
  hasTeams?: boolean;
};

/** Events of the audit trail in words: when, who, what, and from where. */
export function AuditTable({ events, hasTeams }: Props) {
  const t = useText();
  const team = hasTeams ? [t('audit.team')] : [];
  return (
    <Table
      label={t('audit.title')}
      headings={[t('audit.when'), t('audit.who'), t('audit.what'), ...team, t('audit.from')]}
    >
      {events.map((event) => (
        <tr key={event.id}>
          <td>
            <Moment at={event.createdAt} />
          </td>
          <td>
            <Actor event={event} />
          </td>
          <td>
            {auditWords(event.action, t)}
            <span className={styles.detail}>
              {[`${event.subjectType} ${event.subjectId}`, auditDetail(event.detail)]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </td>
          {hasTeams && <td>{event.team?.name}</td>}
          <td>
            {t(`audit.channel.${event.channel}`)}
            {event.ip && <span className={styles.detail}>{event.ip}</span>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Actor({ event: { actor } }: { event: ShownEvent }) {
  const t = useText();
  if (!actor) return t('audit.nobody');
  if (actor.deleted) return t('audit.deletedAccount', { id: actor.id });
  return (
    <>
      {actor.name}
      <span className={styles.detail}>{actor.email}</span>
    </>
  );
}
