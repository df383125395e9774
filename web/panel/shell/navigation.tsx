import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../language.js';
import {
  AttentionIcon,
  AuditIcon,
  ChartIcon,
  FormIcon,
  InboxIcon,
  PersonIcon,
  ShieldIcon,
  TeamIcon,
  WebsiteIcon,
} from '../parts/icons/icons.js';
import { useViewer } from '../session.js';
import type { TextId } from '../texts/text-id.js';
import { AttentionCount } from './attention-count.js';
import styles from './navigation.module.css';
import { NewCount } from './new-count.js';

/** A page of the main navigation. */
type Destination = Readonly<{
  to: LinkProps['to'];
  text: TextId;
  icon?: ReactNode;
  count?: ReactNode;
  /** Whether it is there for staff alone. */
  isForStaff?: boolean;
}>;

/** The pages that the navigation leads to, in its order. */
const DESTINATIONS: readonly Destination[] = [
  { to: '/', text: 'nav.attention', icon: <AttentionIcon />, count: <AttentionCount /> },
  { to: '/inbox', text: 'nav.inbox', icon: <InboxIcon />, count: <NewCount /> },
  { to: '/websites', text: 'nav.websites', icon: <WebsiteIcon /> },
  { to: '/forms', text: 'nav.forms', icon: <FormIcon /> },
  { to: '/teams', text: 'nav.teams', icon: <TeamIcon /> },
  { to: '/statistics', text: 'nav.statistics', icon: <ChartIcon /> },
  { to: '/captcha', text: 'nav.captcha', icon: <ShieldIcon />, isForStaff: true },
  { to: '/people', text: 'nav.people', icon: <PersonIcon />, isForStaff: true },
  { to: '/audit', text: 'nav.audit', icon: <AuditIcon />, isForStaff: true },
];

/** The main navigation. */
export function Navigation() {
  const t = useText();
  const { staff } = useViewer();
  return (
    <nav aria-label={t('nav.label')} className={styles.navigation}>
      <ul>
        {DESTINATIONS.filter(({ isForStaff }) => staff || !isForStaff).map(({ to, text, icon, count }) => (
          <li key={text}>
            <Link
              to={to}
              className={styles.link}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {icon}
              {t(text)}
              {count}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
