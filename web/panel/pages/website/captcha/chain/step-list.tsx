import { Button, DropIndicator, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { useText } from '../../../../language.js';
import { GripIcon } from '../../../../parts/icons/icons.js';
import { Badge } from '../../../../parts/layout/badge.js';
import type { Beside } from '../../../../parts/moved.js';
import type { StepDraft } from './draft.js';
import styles from './step-list.module.css';

type Props = {
  steps: readonly StepDraft[];
  selected: string;
  onSelect(id: string): void;
  /** Moves steps to another place; without it the order stands. */
  onMove?(ids: ReadonlySet<string>, to: Beside): void;
  nameOf(step: StepDraft): string;
  isChanged(step: StepDraft): boolean;
  /** How much is wrong with a step. */
  faultsOf(step: StepDraft): number;
};

/** The steps in their order, which is changed by dragging, with the pointer or by keyboard. */
export function StepList({ steps, selected, onSelect, onMove, nameOf, isChanged, faultsOf }: Props) {
  const t = useText();
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === 'on') return;
      onMove?.(new Set([...keys].map(String)), { key: String(target.key), position: target.dropPosition });
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className={styles.target!} />,
  });
  return (
    <GridList
      aria-label={t('chain.steps')}
      className={styles.list!}
      items={steps}
      dependencies={[steps, selected, faultsOf]}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={[selected]}
      onSelectionChange={(keys) => {
        if (keys !== 'all') for (const key of keys) onSelect(String(key));
      }}
      {...(onMove && { dragAndDropHooks })}
    >
      {(step) => {
        const faults = faultsOf(step);
        return (
          <GridListItem id={step.id} textValue={nameOf(step)} className={styles.step!}>
            {onMove && (
              <Button slot="drag" className={styles.grip!}>
                <GripIcon />
              </Button>
            )}
            <span className={styles.number}>{steps.indexOf(step) + 1}</span>
            <span className={styles.name}>{nameOf(step)}</span>
            {faults > 0 && <Badge tone="danger">{t('chain.faults', { count: faults })}</Badge>}
            {faults === 0 && isChanged(step) && (
              <Badge tone="warning">{t(step.isStored ? 'chain.changed' : 'chain.new')}</Badge>
            )}
          </GridListItem>
        );
      }}
    </GridList>
  );
}
