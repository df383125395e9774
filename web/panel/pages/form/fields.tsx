import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { say } from '../../parts/overlays/toasts.js';
import { useMayManage } from '../../session.js';
import { type Faults, faultsBelow } from './faults.js';
import { AddField } from './fields/add-field.js';
import type { FieldType } from './fields/attributes.js';
import { FieldList } from './fields/field-list.js';
import { proposeName } from './fields/names.js';
import {
  addField,
  duplicateField,
  findRemoved,
  moveFields,
  newField,
  newOption,
  removeField,
} from './fields/recipes.js';
import { useChosenField } from './fields/use-chosen-field.js';
import styles from './fields.module.css';
import type { FormDraft } from './form-draft.js';
import type { TabProps } from './use-draft.js';

const FieldPanel = lazyRouteComponent(() => import('./fields/field-panel.js'), 'FieldPanel');

/** The fields of the form, in their order, and beside them the one that is edited, which the address names. */
export function FieldsTab({ form, draft, change, hold, faults }: TabProps) {
  const t = useText();
  const isReadOnly = !useMayManage(form.teamId);
  const [added, setAdded] = useState<string | null>(null);
  const { chosen, opened, list, choose, succeed, leave } = useChosenField(draft.fields);
  const index = draft.fields.findIndex(({ name }) => name === chosen);
  const field = draft.fields[index];
  const names = draft.fields.map(({ name }) => name);

  const remove = (name: string) => {
    const removed = findRemoved(draft, name);
    if (!removed) return;
    const at = names.indexOf(name);
    change(removeField(name));
    succeed(name, names[at + 1] ?? names[at - 1]);
    say(
      t('form.fields.removed', { field: removed.field.label || name, count: removed.conditions }),
      async () => {
        const { restoreField } = await import('./fields/restore.js');
        change(restoreField(removed));
        choose(name);
      },
    );
  };

  const move = useCallback<Parameters<typeof FieldList>[0]['onMove']>(
    (moving, to) => change(moveFields(moving, to)),
    [change],
  );

  const add = (type: FieldType) => {
    const label = t(`form.type.${type}`);
    const name = proposeName(label, names);
    const options = [1, 2].map((number) => {
      const text = t('form.options.new', { number });
      return newOption(text, text);
    });
    change(addField(newField(type, { name, label, options }), field?.name));
    setAdded(name);
    choose(name);
  };

  const duplicate = (name: string) => {
    const copy = proposeName(name, names);
    change(duplicateField(name, copy));
    choose(copy);
  };

  // The list follows what is typed when the browser finds the time.
  const listed = useDeferredValue(draft.fields);
  const faulty = useFaultyFields(draft, faults);

  return (
    <div className={styles.fields} data-chosen={field && true}>
      <div ref={list} className={styles.list}>
        {!isReadOnly && (
          <div className={styles.bar}>
            <AddField onAdd={add} />
            <span className={styles.count}>{t('form.fields.count', { count: draft.fields.length })}</span>
          </div>
        )}
        <FieldList
          fields={listed}
          chosen={field?.name}
          faulty={faulty}
          isReadOnly={isReadOnly}
          onChoose={choose}
          onMove={move}
        />
      </div>
      <div className={styles.panel}>
        {field ? (
          <Suspense fallback={<Skeleton lines={8} />}>
            <FieldPanel
              field={field}
              fields={draft.fields}
              saved={form.content.fields.find(({ name }) => name === field.name)}
              isReadOnly={isReadOnly}
              isAdded={added === field.name}
              isOpened={opened === field.name}
              faults={faultsBelow(faults, `fields.${index}`)}
              change={change}
              hold={hold}
              onRenamed={(name) => {
                if (added === field.name) setAdded(null);
                succeed(field.name, name);
              }}
              onDuplicate={() => duplicate(field.name)}
              onRemove={() => remove(field.name)}
              onLeave={() => leave(field.name)}
            />
          </Suspense>
        ) : (
          <EmptyState title={t('form.fields.choose')} />
        )}
      </div>
    </div>
  );
}

/** Returns the names of the fields with a fault, the same set while they are the same: the list is drawn by it. */
function useFaultyFields({ fields }: FormDraft, faults: Faults): ReadonlySet<string> {
  const names = fields
    .filter((_, position) => Object.keys(faultsBelow(faults, `fields.${position}`)).length > 0)
    .map(({ name }) => name)
    .join(' ');
  return useMemo(() => new Set(names.split(' ')), [names]);
}
