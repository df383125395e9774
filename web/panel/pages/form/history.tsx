import { getRouteApi } from '@tanstack/react-router';
import { VersionList } from './history/version-list.js';
import { VersionView } from './history/version-view.js';
import type { TabProps } from './use-draft.js';

const route = getRouteApi('/shell/forms/$formId');

/** The versions of the form; with `version` in the address that one, compared with `since` or the one before it. */
export function HistoryTab({ form, draft }: TabProps) {
  const { version, since } = route.useSearch();
  if (version === undefined) return <VersionList form={form} />;
  return <VersionView form={form} draft={draft} from={since} to={version} />;
}
