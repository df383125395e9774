import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { classes } from '../classes.js';
import { Table } from '../layout/table.js';
import { Moment } from '../time/moment.js';
import { auditDetail } from './audit-detail.js';
import styles from './audit-table.module.css';
import { auditThing, auditWords } from './audit-words.js';

/** An event of the audit trail. */
type ShownEvent = Readonly<{
  id: string;
  createdAt: string;
  channel: 'api' | 'panel' | 'command_line' | 'provision' | 'system';
  action: string;
  subjectType: string;
  subjectId: string;
  /** Null: it has been deleted, or has none. */
  subjectName: string | null;
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
  const { formatDisplayName } = useIntl();
  const languageName = (code: string) => formatDisplayName(code, { type: 'language' }) ?? code;
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
            <span className={classes(styles.detail, styles.what)} title={event.subjectId}>
              {[auditThing(event, t), auditDetail(event.detail, t, event.subjectName, languageName)]
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

function Actor({ event: { actor, channel } }: { event: ShownEvent }) {
  const t = useText();
  if (!actor) return t(`audit.by.${channel}`);
  if (actor.deleted) return t('audit.deletedAccount', { id: actor.id });
  return (
    <>
      {actor.name}
      <span className={styles.detail}>{actor.email}</span>
    </>
  );
}
