import { Link, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { Dialog, DialogActions } from '../../parts/overlays/dialog.js';
import { manages, oversees, useViewer, type Viewer } from '../../session.js';
import styles from './action-link.module.css';
import type { Item } from './queries.js';

type Target = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** The page where an item is mended; null: outside the panel. `mending-path.ts` has the same for e-mails. */
function targetOf({ action, websiteId, formId, teamId }: Item): Target | null {
  const website = (
    tab?: 'install' | 'forms' | 'captcha' | 'settings',
    placement: string | null = null,
  ): Target | null =>
    websiteId === null
      ? null
      : {
          to: '/websites/$websiteId',
          params: { websiteId },
          search: { tab, placement: placement ?? undefined },
        };
  const form = (tab: 'translations' | 'fields' | 'websites'): Target | null =>
    formId === null ? null : { to: '/forms/$formId', params: { formId }, search: { tab } };
  const team = (tab: 'usage' | 'webhooks'): Target | null =>
    teamId === null ? null : { to: '/teams/$teamId', params: { teamId }, search: { tab } };
  const inbox = (folder: 'failed' | 'waiting' | 'held'): Target => ({
    to: '/inbox',
    search: { folder, website: websiteId === null ? undefined : [websiteId], team: teamId ?? undefined },
  });
  switch (action) {
    case 'RUN_PROBE':
    case 'OPEN_INSTALL':
      return website('install');
    case 'OPEN_WEBSITE':
      return website();
    case 'OPEN_RECIPIENTS':
      return website('forms', formId);
    case 'OPEN_FORM_RECIPIENTS':
      return form('websites');
    case 'OPEN_SETTINGS':
      return website('settings');
    case 'OPEN_CAPTCHA':
      return website('captcha');
    case 'OPEN_UNSENT':
      return inbox('failed');
    case 'OPEN_WAITING':
      return inbox('waiting');
    case 'OPEN_HELD':
      return inbox('held');
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

/** The actions whose pages only the team's owners and admins can change. */
const MANAGED: ReadonlySet<Item['action']> = new Set([
  'OPEN_CAPTCHA',
  'OPEN_FIELDS',
  'OPEN_FORM_RECIPIENTS',
  'OPEN_INSTALL',
  'OPEN_RECIPIENTS',
  'OPEN_SETTINGS',
  'OPEN_TRANSLATIONS',
]);

/**
 * What a viewer is offered for an item: instead of what the gateway refuses, the page that may be seen; null: nothing.
 */
function offeredTo(viewer: Viewer, { action, teamId }: Item): Item['action'] | null {
  const team = teamId ?? undefined;
  if (action === 'RUN_PROBE' && !manages(viewer, team)) return 'OPEN_WEBSITE';
  if (MANAGED.has(action) && !manages(viewer, team)) return null;
  if (action === 'OPEN_WEBHOOKS' && !oversees(viewer, team)) return null;
  return action;
}

const guideOf = (kind: Item['kind']) =>
  kind === 'MAIL_HELD' ? 'guideMail' : kind === 'UNCHECKED' ? 'guideUnchecked' : 'guideSender';

/** What the operator of Formgate does about an item that is mended outside the panel. */
function Guide({ kind, onClose }: { kind: Item['kind']; onClose(): void }) {
  const t = useText();
  return (
    <Dialog title={t('attention.guide')} isOpen onClose={onClose}>
      <p>{t(`attention.${guideOf(kind)}`)}</p>
      <DialogActions>
        <Button onPress={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** Names what an item is about, as the words beside its button do. */
const nameOf = ({ website, form, team }: Item, { staff }: Viewer): string =>
  [website?.name, form?.name, (staff || !(website || form)) && team?.name].filter(Boolean).join(', ');

/** The one button of an item, which leads to where it is mended, or tells what the operator does. */
export function ActionLink({ item }: { item: Item }) {
  const t = useText();
  const [isGuideOpen, setGuideOpen] = useState(false);
  const viewer = useViewer();
  const action = offeredTo(viewer, item);
  if (!action) return null;
  const target = targetOf({ ...item, action });
  const text = t(`attention.action.${action}`);
  const label = t('attention.actionOf', {
    action: text,
    name: nameOf(item, viewer) || t('attention.installation'),
  });
  if (!target) {
    return (
      <>
        <Button aria-label={label} onPress={() => setGuideOpen(true)}>
          {text}
        </Button>
        {isGuideOpen && <Guide kind={item.kind} onClose={() => setGuideOpen(false)} />}
      </>
    );
  }
  return (
    <Link {...target} className={styles.link} aria-label={label}>
      {text}
    </Link>
  );
}
