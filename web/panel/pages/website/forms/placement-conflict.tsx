import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { COLORS, SIZES } from './appearance-fields.js';
import type { PlacementDraft } from './draft.js';
import styles from './placement-conflict.module.css';
import { isProperty, type SaveConflict, type Setting } from './saving.js';

const LABELS = {
  enabled: 'placement.enabled',
  cssSelector: 'placement.selector',
  htmlWrapper: 'placement.wrapper',
  confirmationMessage: 'placement.message',
  recipients: 'placement.recipients',
  recipientRules: 'rules.title',
} as const;

type Props = Readonly<{ conflict: SaveConflict; onTakeOver(): void }>;

/** Says what another account has saved in another way meanwhile; a further save replaces it. */
export function PlacementConflict({ conflict: { base, collisions }, onTakeOver }: Props) {
  const t = useText();
  const labelOf = (setting: Setting): string => {
    if (!isProperty(setting)) return t(LABELS[setting]);
    if (setting in COLORS) return t(`placement.color.${setting as keyof typeof COLORS}`);
    const size = SIZES.find((property) => property === setting);
    return size ? t(`placement.size.${size}`) : setting;
  };
  const wordsOf = ({ enabled, recipientRules, appearance, ...texts }: PlacementDraft, setting: Setting) => {
    if (setting === 'enabled') return t(enabled ? 'placement.shown' : 'placement.hidden');
    if (setting === 'recipientRules') return t('placement.conflict.rules', { count: recipientRules.length });
    return (isProperty(setting) ? appearance[setting] : texts[setting]) || t('placement.conflict.empty');
  };
  return (
    <div role="alert" className={styles.conflict}>
      {base.version === null ? (
        <p>{t('placement.conflict.removed')}</p>
      ) : (
        <>
          <p>{t('placement.conflict')}</p>
          <Facts>
            {collisions.map((setting) => (
              <Fact key={setting} label={labelOf(setting)}>
                <bdi className={styles.value}>{wordsOf(base.draft, setting)}</bdi>
              </Fact>
            ))}
          </Facts>
          <div>
            <Button onPress={onTakeOver}>{t('placement.conflict.theirs')}</Button>
          </div>
        </>
      )}
    </div>
  );
}
