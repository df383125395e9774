import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { nameChain } from '../../parts/step-name.js';
import { HealthWords } from '../../parts/website/health-words.js';
import { RecentLeads } from '../../parts/website/recent-leads.js';
import type { ListedWebsite } from './queries.js';
import styles from './website-table.module.css';

type Props = {
  website: ListedWebsite;
  /** Position in the list, from 0. */
  index: number;
  isSelected: boolean;
  isSelectable: boolean;
  hasTeam: boolean;
  onSelect(index: number, isRange: boolean): void;
};

/** A website of the list: health, leads and how it is set up. */
export const WebsiteRow = memo(function WebsiteRow(props: Props) {
  const { website, index, isSelected, isSelectable, hasTeam, onSelect } = props;
  const { id, name, host, locale, leadsPerDay, captchaChain, team } = website;
  const t = useText();
  const { formatDisplayName } = useIntl();
  return (
    <tr aria-rowindex={index + 2} data-selected={isSelected || undefined}>
      <td className={styles.check}>
        {isSelectable && (
          <input
            type="checkbox"
            aria-label={t('websites.selectOne', { name })}
            checked={isSelected}
            onClick={(event) => onSelect(index, event.shiftKey)}
            onChange={() => undefined}
          />
        )}
      </td>
      <th scope="row">
        <Link to="/websites/$websiteId" params={{ websiteId: id }} data-row={index} dir="auto">
          {name}
        </Link>
        <span className={styles.host}>{host}</span>
      </th>
      <td className={styles.health}>
        <HealthWords {...website} />
      </td>
      <td>
        <RecentLeads counts={leadsPerDay} />
      </td>
      <td className={styles.minor}>{formatDisplayName(locale, { type: 'language' }) ?? locale}</td>
      <td className={styles.minor}>
        {captchaChain.length > 0 ? nameChain(captchaChain, t) : t('websites.defaultChain')}
      </td>
      {hasTeam && <td className={styles.minor}>{team.name}</td>}
    </tr>
  );
});
