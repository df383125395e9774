import { Link, type LinkProps } from '@tanstack/react-router';
import { useText } from '../../language.js';
import styles from './action-link.module.css';
import type { Item } from './queries.js';

type Place = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** The place where an item is mended; null: outside the panel. */
function placeOf({ action, websiteId, formId, teamId }: Item): Place | null {
  const website = (tab?: 'install' | 'forms' | 'captcha'): Place | null =>
    websiteId === null ? null : { to: '/websites/$websiteId', params: { websiteId }, search: { tab } };
  const form = (tab: 'translations' | 'fields'): Place | null =>
    formId === null ? null : { to: '/forms/$formId', params: { formId }, search: { tab } };
  const team = (tab: 'usage' | 'webhooks'): Place | null =>
    teamId === null ? null : { to: '/teams/$teamId', params: { teamId }, search: { tab } };
  switch (action) {
    case 'RUN_PROBE':
    case 'OPEN_INSTALL':
      return website('install');
    case 'OPEN_WEBSITE':
      return website();
    case 'OPEN_RECIPIENTS':
      return website('forms');
    case 'OPEN_CAPTCHA':
      return website('captcha');
    case 'OPEN_UNSENT':
      return websiteId === null
        ? null
        : { to: '/inbox', search: { folder: 'failed', website: [websiteId], team: teamId ?? undefined } };
    case 'OPEN_HELD':
      return { to: '/inbox', search: { folder: 'held', team: teamId ?? undefined } };
    case 'OPEN_PLAN':
      return team('usage');
    case 'OPEN_WEBHOOKS':
      return team('webhooks');
    case 'OPEN_TRANSLATIONS':
      return form('translations');
    case 'OPEN_FIELDS':
      return form('fields');
    default:
      return null;
  }
}

/** The one button of an item, which leads to where it is mended. */
export function ActionLink({ item }: { item: Item }) {
  const t = useText();
  const place = placeOf(item);
  const text = t(`attention.action.${item.action}`);
  if (!place) return item.action === 'OPEN_GUIDE' ? <p className={styles.hint}>{text}</p> : null;
  return (
    <Link {...place} className={styles.link}>
      {text}
    </Link>
  );
}
