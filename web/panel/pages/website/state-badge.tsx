import { useText } from '../../language.js';
import { Badge } from '../../parts/layout/badge.js';
import type { Website } from './queries.js';

/** Says whether the gateway takes leads of the website. */
export function StateBadge({ website: { disabled, team } }: { website: Pick<Website, 'disabled' | 'team'> }) {
  const t = useText();
  const state = team.active ? (disabled ? 'disabled' : 'enabled') : 'suspended';
  return <Badge tone={state === 'enabled' ? 'good' : 'warning'}>{t(`website.${state}`)}</Badge>;
}
