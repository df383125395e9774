import type { AttentionItem } from './attention-item.js';

const withSearch = (path: string, search: Readonly<Record<string, string | number | null>>): string => {
  const set = Object.entries(search).flatMap(([name, value]) => (value === null ? [] : `${name}=${value}`));
  return set.length > 0 ? `${path}?${set.join('&')}` : path;
};

/** Returns the path in the panel of where an item is mended: the one that its button on the start page leads to. */
export function mendingPath({
  action,
  teamId,
  websiteId,
  formId,
}: Pick<AttentionItem, 'action' | 'teamId' | 'websiteId' | 'formId'>): string {
  const website = (tab: string | null, placement: number | null = null) =>
    withSearch(`/websites/${websiteId}`, { tab, placement });
  const form = (tab: string) => withSearch(`/forms/${formId}`, { tab });
  const team = (tab: string) => withSearch(`/teams/${teamId}`, { tab });
  const inbox = (folder: string) => withSearch('/inbox', { folder, website: websiteId, team: teamId });
  switch (action) {
    case 'RUN_PROBE':
    case 'OPEN_INSTALL':
      return website('install');
    case 'OPEN_WEBSITE':
      return website(null);
    case 'OPEN_SETTINGS':
      return website('settings');
    case 'OPEN_RECIPIENTS':
      return website('forms', formId);
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
    case 'OPEN_FORM_RECIPIENTS':
      return form('websites');
    case 'OPEN_TRANSLATIONS':
      return form('translations');
    case 'OPEN_FIELDS':
      return form('fields');
    case 'OPEN_GUIDE':
      return '/';
  }
}
