import { getRouteApi, lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { FIELD_TYPES } from '../../../../src/forms/definition/form-definition.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { EmptyState } from '../../parts/empty-state.js';
import { PlusIcon } from '../../parts/icons.js';
import { Menu, MenuItem } from '../../parts/menu.js';
import { Popover } from '../../parts/popover.js';
import { Skeleton } from '../../parts/skeleton.js';
import { say } from '../../parts/toasts.js';
import { useMayManage } from '../../session.js';
import { faultsBelow } from './faults.js';
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
import styles from './fields.module.css';
import type { TabProps } from './use-draft.js';

const route = getRouteApi('/shell/forms/$formId');

const FieldPanel = lazyRouteComponent(() => import('./fields/field-panel.js'), 'FieldPanel');

/** The fields of the form, in their order, and beside them the one that is edited, which the address names. */
export function FieldsTab({ form, draft, change, hold, faults }: TabProps) {
  const t = useText();
  const { field: named } = route.useSearch();
  const navigate = useNavigate();
  const isReadOnly = !useMayManage(form.teamId);
  const [added, setAdded] = useState<string | null>(null);
  const latest = useRef(draft);
  latest.current = draft;

  const [successor, setSuccessor] = useState<Readonly<{ of: string; name: string | undefined }> | null>(null);
  // The address changes a moment after the draft; without its field the panel would close and lose the focus.
  const isNamed = draft.fields.some(({ name }) => name === named);
  const chosen = !isNamed && successor?.of === named ? successor?.name : named;
  const list = useRef<HTMLDivElement>(null);
  /** The field whose panel was closed; empty when the last one was deleted. */
  const [left, setLeft] = useState<string | null>(null);
  // To the row of the field whose panel was closed, or to what adds one.
  useEffect(() => {
    if (left === null || chosen !== undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[role=row][data-key="${CSS.escape(left)}"]`);
    (row ?? list.current?.querySelector('button'))?.focus();
    setLeft(null);
  }, [left, chosen]);

  const index = draft.fields.findIndex(({ name }) => name === chosen);
  const field = draft.fields[index];

  const show = useCallback(
    (name: string | undefined, replace: boolean) =>
      void navigate({ to: '.', search: (given) => ({ ...given, field: name }), replace }),
    [navigate],
  );
  const choose = useCallback((name: string | undefined) => show(name, false), [show]);

  const remove = useCallback(
    (name: string) => {
      const removed = findRemoved(latest.current, name);
      if (!removed) return;
      const { fields } = removed.before;
      const at = fields.indexOf(removed.field);
      const next = (fields[at + 1] ?? fields[at - 1])?.name;
      change(removeField(name));
      setSuccessor({ of: name, name: next });
      if (next === undefined) setLeft('');
      // *Back* leads to no field that is gone.
      show(next, true);
      say(
        t('form.fields.removed', { field: removed.field.label || name, count: removed.conditions }),
        async () => {
          const { restoreField } = await import('./fields/restore.js');
          change(restoreField(removed));
          choose(name);
        },
      );
    },
    [change, choose, show, t],
  );

  const move = useCallback<Parameters<typeof FieldList>[0]['onMove']>(
    (names, to) => change(moveFields(names, to)),
    [change],
  );

  const names = () => latest.current.fields.map(({ name }) => name);

  const add = (type: FieldType) => {
    const label = t(`form.type.${type}`);
    const name = proposeName(label, names());
    const options = [1, 2].map((number) => {
      const text = t('form.options.new', { number });
      return newOption(text, text);
    });
    change(addField(newField(type, { name, label, options }), field?.name));
    setAdded(name);
    choose(name);
  };

  const duplicate = (name: string) => {
    const copy = proposeName(name, names());
    change(duplicateField(name, copy));
    choose(copy);
  };

  // The list follows what is typed when the browser finds the time.
  const listed = useDeferredValue(draft.fields);
  const faultyNames = draft.fields
    .filter((_, position) => Object.keys(faultsBelow(faults, `fields.${position}`)).length > 0)
    .map(({ name }) => name)
    .join(' ');
  const faulty = useMemo(() => new Set(faultyNames.split(' ')), [faultyNames]);

  return (
    <div className={styles.fields} data-chosen={field && true}>
      <div ref={list} className={styles.list}>
        {!isReadOnly && (
          <div className={styles.bar}>
            <MenuTrigger>
              <Button>
                <PlusIcon />
                {t('form.fields.add')}
              </Button>
              <Popover placement="bottom start">
                <Menu aria-label={t('form.fields.add')} onAction={(type) => add(type as FieldType)}>
                  {FIELD_TYPES.map((type) => (
                    <MenuItem key={type} id={type} textValue={t(`form.type.${type}`)}>
                      {t(`form.type.${type}`)}
                    </MenuItem>
                  ))}
                </Menu>
              </Popover>
            </MenuTrigger>
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
              isNew={!form.content.fields.some(({ name }) => name === field.name)}
              isReadOnly={isReadOnly}
              hasFocus={added === field.name}
              faults={faultsBelow(faults, `fields.${index}`)}
              change={change}
              hold={hold}
              onRenamed={(name) => {
                if (added === field.name) setAdded(null);
                setSuccessor({ of: field.name, name });
                show(name, true);
              }}
              onDuplicate={() => duplicate(field.name)}
              onRemove={() => remove(field.name)}
              onLeave={() => {
                setLeft(field.name);
                choose(undefined);
              }}
            />
          </Suspense>
        ) : (
          <EmptyState title={t('form.fields.choose')} />
        )}
      </div>
    </div>
  );
}
