import { memo } from 'react';
import {
  Button as AriaButton,
  DropIndicator,
  GridList,
  GridListItem,
  type Selection,
  useDragAndDrop,
} from 'react-aria-components';
import { useText } from '../../../language.js';
import { AlertIcon } from '../../../parts/icons/alert-icon.js';
import { EyeIcon, GripIcon } from '../../../parts/icons/icons.js';
import type { Beside } from '../../../parts/moved.js';
import type { FieldDraft } from '../queries.js';
import styles from './field-list.module.css';

type Props = Readonly<{
  fields: readonly FieldDraft[];
  /** Name of the field that is edited. */
  chosen: string | undefined;
  /** Names of the fields with a fault. */
  faulty: ReadonlySet<string>;
  isReadOnly: boolean;
  onChoose(name: string): void;
  onMove(names: ReadonlySet<string>, to: Beside): void;
}>;

/** The fields in their order, which is changed by drag or by keyboard; the one that is edited is selected. */
export const FieldList = memo(function FieldList(props: Props) {
  const { fields, chosen, faulty, isReadOnly, onChoose, onMove } = props;
  const t = useText();
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === 'on') return;
      onMove(new Set([...keys].map(String)), { key: String(target.key), position: target.dropPosition });
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className={styles.drop!} />,
  });
  return (
    <GridList
      aria-label={t('form.fields.label')}
      className={styles.list!}
      items={fields}
      dependencies={[faulty]}
      dragAndDropHooks={dragAndDropHooks}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={chosen === undefined ? [] : [chosen]}
      onSelectionChange={(selection: Selection) => {
        const [name] = [...selection];
        if (name !== undefined) onChoose(String(name));
      }}
      renderEmptyState={() => <p className={styles.empty}>{t('form.fields.none')}</p>}
    >
      {(field) => {
        const { name, label, type, isRequired, visibility } = field;
        return (
          <GridListItem id={name} textValue={label || name} className={styles.row!}>
            {!isReadOnly && (
              <AriaButton
                slot="drag"
                aria-label={t('form.fields.move', { field: label || name })}
                className={styles.handle!}
              >
                <GripIcon />
              </AriaButton>
            )}
            <span className={styles.label} dir="auto">
              {label || name}{' '}
              {isRequired && (
                <span title={t('form.field.required')} role="img" aria-label={t('form.field.required')}>
                  *
                </span>
              )}
            </span>
            {visibility && (
              <span
                className={styles.mark}
                role="img"
                aria-label={t('form.fields.conditional')}
                title={t('form.fields.conditional')}
              >
                <EyeIcon />
              </span>
            )}
            {faulty.has(name) && (
              <span
                className={styles.fault}
                role="img"
                aria-label={t('form.fields.faulty')}
                title={t('form.fields.faulty')}
              >
                <AlertIcon />
              </span>
            )}
            <span className={styles.type}>{t(`form.type.${type}`)}</span>
          </GridListItem>
        );
      }}
    </GridList>
  );
});
