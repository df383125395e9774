import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../language.js';
import { ChartIcon, FormIcon, InboxIcon, ShieldIcon, WebsiteIcon } from '../parts/icons.js';
import { useViewer } from '../session.js';
import type { TextId } from '../texts/text-id.js';
import styles from './navigation.module.css';
import { NewCount } from './new-count.js';

/** A page of the main navigation. */
type Destination = Readonly<{
  to: LinkProps['to'];
  text: TextId;
  icon?: ReactNode;
  count?: ReactNode;
  /** Whether it is there for staff alone. */
  staff?: true;
}>;

/** The pages that the navigation leads to, in its order. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/inbox', text: 'nav.inbox', icon: <InboxIcon />, count: <NewCount /> },
  { to: '/websites', text: 'nav.websites', icon: <WebsiteIcon /> },
  { to: '/forms', text: 'nav.forms', icon: <FormIcon /> },
  { to: '/statistics', text: 'nav.statistics', icon: <ChartIcon /> },
  { to: '/captcha', text: 'nav.captcha', icon: <ShieldIcon />, staff: true },
];

/** The main navigation. */
export function Navigation() {
  const t = useText();
  const viewer = useViewer();
  return (
    <nav aria-label={t('nav.label')} className={styles.navigation}>
      <ul>
        {DESTINATIONS.filter(({ staff }) => !staff || viewer.staff).map(({ to, text, icon, count }) => (
          <li key={text}>
            <Link to={to} className={styles.link} activeProps={{ 'aria-current': 'page' }}>
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
