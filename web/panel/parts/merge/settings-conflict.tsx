import type { ReactNode } from 'react';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { Fact, Facts } from '../layout/facts.js';
import { type Collision, pathKey } from './merge.js';
import styles from './settings-conflict.module.css';

/** Says in a box what another account has done meanwhile. */
export const ConflictBox = ({ children }: { children: ReactNode }) => (
  <div role="alert" className={styles.conflict}>
    {children}
  </div>
);

type Props = Readonly<{
  collisions: readonly Collision[];
  labelOf(collision: Collision): string;
  /** Says what another account has saved; empty: nothing. */
  wordsOf(collision: Collision): string;
  onTakeOver(): void;
}>;

/** Says what another account has saved in another way meanwhile; a further save replaces it. */
export function SettingsConflict({ collisions, labelOf, wordsOf, onTakeOver }: Props) {
  const t = useText();
  return (
    <ConflictBox>
      <p>{t('conflict.settings')}</p>
      <Facts>
        {collisions.map((collision) => (
          <Fact key={pathKey(collision.path)} label={labelOf(collision)}>
            <bdi className={styles.value}>{wordsOf(collision) || t('conflict.empty')}</bdi>
          </Fact>
        ))}
      </Facts>
      <div>
        <Button onPress={onTakeOver}>{t('conflict.theirs')}</Button>
      </div>
    </ConflictBox>
  );
}
