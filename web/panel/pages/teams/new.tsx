import { useText } from '../../language.js';
import { Page } from '../../parts/page.js';

/** A new team. */
export function NewTeamPage() {
  const t = useText();
  return <Page title={t('teams.new')}>{null}</Page>;
}
