import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { useIntl } from 'react-intl';
import { PANEL } from '../../../address.js';
import { useText } from '../../../language.js';
import { classes } from '../../../parts/classes.js';
import { AlertIcon } from '../../../parts/icons/alert-icon.js';
import type { ListedLead } from '../queries.js';
import styles from './lead-list.module.css';
import { LeadTime } from './lead-time.js';

type Props = {
  lead: ListedLead;
  /** Position in the list, from 0. */
  index: number;
  isAtCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  /** Whether it can be selected: the viewer may change it. */
  isSelectable: boolean;
  /** Whether the state is told, where the folder does not. */
  hasState: boolean;
  /** Whether it has a line for why it is spam. */
  hasReason: boolean;
  /** Search parameters of the address, which that of the lead keeps. */
  search: string;
  onOpen(id: string): void;
  onSelect(index: number, isRange: boolean): void;
  onPrefetch(id: string): void;
};

export const rowId = (id: string): string => `lead-${id}`;

/** A line of the list: who, what about, from where, when. All of it is the link to the lead. */
export const LeadRow = memo(function LeadRow(props: Props) {
  const { lead, index, isAtCursor, isOpen, isSelected, isSelectable, hasState, hasReason, search } = props;
  const { onOpen, onSelect, onPrefetch } = props;
  const t = useText();
  const { id, summary, website, form, state, createdAt, needsReview, notification } = lead;
  const { locale } = useIntl();
  const reason = lead.spamVerdict?.heaviest;
  const name = summary.title ?? t('lead.nameless');
  const isUnsent = ['failed', 'no_recipient', 'skipped_quota', 'bounced'].includes(notification?.state ?? '');
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.altKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen(id);
  };
  const stopSpace = (event: KeyboardEvent) => {
    if (event.key === ' ') event.stopPropagation();
  };
  return (
    // The list has the focus and tells which row is active.
    // biome-ignore lint/a11y/useFocusableInteractive: see above.
    // biome-ignore lint/a11y/useSemanticElements: rows of a table could not be virtual.
    <div
      role="row"
      id={rowId(id)}
      className={classes(styles.row, hasReason && styles.reasoned)}
      aria-rowindex={index + 2}
      aria-selected={isSelectable ? isSelected : undefined}
      aria-current={isOpen || undefined}
      data-cursor={isAtCursor || undefined}
      data-new={state === 'new' || undefined}
      onPointerEnter={() => onPrefetch(id)}
    >
      {/* biome-ignore-start lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above. */}
      <span role="gridcell" className={styles.check}>
        {isSelectable && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t('inbox.selectOne', { name })}
            checked={isSelected}
            onKeyDown={stopSpace}
            onClick={(event) => onSelect(index, event.shiftKey)}
            onChange={() => undefined}
          />
        )}
      </span>
      <span role="gridcell" className={styles.name} dir="auto">
        {/* Not the router's link, of which each works its address out anew with every lead that is opened. */}
        <a
          href={`${PANEL}inbox/${id}${search}`}
          tabIndex={-1}
          aria-current={isOpen ? 'page' : undefined}
          onClick={open}
        >
          {name}
        </a>
      </span>
      <span role="gridcell" className={styles.excerpt} dir="auto">
        {summary.excerpt}
      </span>
      <span role="gridcell" className={styles.marks}>
        {isUnsent && (
          <span className={styles.unsent} title={t(`email.${notification!.state}`)}>
            <AlertIcon />
            <span className={styles.spoken}>{t(`email.${notification!.state}`)}</span>
          </span>
        )}
        {needsReview && <span className={styles.tag}>{t('lead.review')}</span>}
        {hasState && <span className={styles.tag}>{t(`state.${state}`)}</span>}
      </span>
      <span role="gridcell" className={styles.website} title={`${website.name} · ${form.name}`}>
        {website.name}
      </span>
      <span role="gridcell" className={styles.time}>
        <LeadTime at={createdAt} />
      </span>
      {hasReason && (
        <span role="gridcell" className={styles.reason}>
          {reason ? (locale.startsWith('fr') ? reason.fr : reason.en) : t('spam.byPerson')}
        </span>
      )}
      {/* biome-ignore-end lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above. */}
    </div>
  );
});
