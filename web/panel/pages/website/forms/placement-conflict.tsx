import { useText } from '../../../language.js';
import type { Collision } from '../../../parts/merge/merge.js';
import { ConflictBox, SettingsConflict } from '../../../parts/merge/settings-conflict.js';
import { NO_PLACEMENT } from '../../../placements.js';
import { COLORS, SIZES } from './appearance-fields.js';
import type { SaveConflict } from './saving.js';

const LABELS = {
  enabled: 'placement.enabled',
  cssSelector: 'placement.selector',
  htmlWrapper: 'placement.wrapper',
  confirmationMessage: 'placement.message',
  recipients: 'placement.recipients',
  recipientRules: 'rules.title',
} as const;

type Props = Readonly<{ conflict: SaveConflict; onTakeOver(): void }>;

/** Says what another account has made of a placement meanwhile. */
export function PlacementConflict({ conflict: { base, collisions }, onTakeOver }: Props) {
  const t = useText();
  const labelOf = ({ path: [setting, property] }: Collision): string => {
    if (property === undefined) return t(LABELS[setting as keyof typeof LABELS]);
    if (property in COLORS) return t(`placement.color.${property as keyof typeof COLORS}`);
    const size = SIZES.find((known) => known === property);
    return size ? t(`placement.size.${size}`) : property;
  };
  const wordsOf = ({ path: [setting], theirs }: Collision): string => {
    if (setting === 'enabled') return t(theirs ? 'placement.shown' : 'placement.hidden');
    if (setting === 'recipientRules') return t('placement.conflict.rules', { count: (theirs as []).length });
    return Array.isArray(theirs) ? theirs.join('\n') : String(theirs ?? '');
  };
  if (base.version === NO_PLACEMENT) {
    return (
      <ConflictBox>
        <p>{t('placement.conflict.removed')}</p>
      </ConflictBox>
    );
  }
  return (
    <SettingsConflict collisions={collisions} labelOf={labelOf} wordsOf={wordsOf} onTakeOver={onTakeOver} />
  );
}
