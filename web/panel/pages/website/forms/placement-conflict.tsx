import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { type Collision, pathKey } from '../../../parts/merge.js';
import { NO_PLACEMENT } from '../../../placements.js';
import { COLORS, SIZES } from './appearance-fields.js';
import styles from './placement-conflict.module.css';
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

/** Says what another account has saved in another way meanwhile; a further save replaces it. */
export function PlacementConflict({ conflict: { base, collisions }, onTakeOver }: Props) {
  const t = useText();
  const labelOf = ([setting, property]: Collision['path']): string => {
    if (property === undefined) return t(LABELS[setting as keyof typeof LABELS]);
    if (property in COLORS) return t(`placement.color.${property as keyof typeof COLORS}`);
    const size = SIZES.find((known) => known === property);
    return size ? t(`placement.size.${size}`) : property;
  };
  const wordsOf = ({ path: [setting], theirs }: Collision): string => {
    if (setting === 'enabled') return t(theirs ? 'placement.shown' : 'placement.hidden');
    if (setting === 'recipientRules') return t('placement.conflict.rules', { count: (theirs as []).length });
    const text = Array.isArray(theirs) ? theirs.join('\n') : theirs;
    return text ? String(text) : t('placement.conflict.empty');
  };
  return (
    <div role="alert" className={styles.conflict}>
      {base.version === NO_PLACEMENT ? (
        <p>{t('placement.conflict.removed')}</p>
      ) : (
        <>
          <p>{t('placement.conflict')}</p>
          <Facts>
            {collisions.map((collision) => (
              <Fact key={pathKey(collision.path)} label={labelOf(collision.path)}>
                <bdi className={styles.value}>{wordsOf(collision)}</bdi>
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
