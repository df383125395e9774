import { useText } from '../../language.js';
import { Badge } from '../../parts/layout/badge.js';

/** Says whether the gateway takes leads of the website. */
export function StateBadge({ disabled }: { disabled: boolean }) {
  const t = useText();
  return (
    <Badge tone={disabled ? 'warning' : 'good'}>{t(disabled ? 'website.disabled' : 'website.enabled')}</Badge>
  );
}
