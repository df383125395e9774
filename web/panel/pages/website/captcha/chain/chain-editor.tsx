import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { EmptyState } from '../../../../parts/feedback/empty-state.js';
import { ErrorBox } from '../../../../parts/feedback/error-box.js';
import { FormActions } from '../../../../parts/form/form.js';
import { LeaveGuard } from '../../../../parts/form/leave-guard.js';
import { Section } from '../../../../parts/layout/page.js';
import { type Beside, moved } from '../../../../parts/moved.js';
import { say } from '../../../../parts/overlays/toasts.js';
import { nameStep } from '../../../../parts/step-name.js';
import { leavesTab } from '../../search.js';
import type { StoredChain } from '../queries.js';
import { AddStep } from './add-step.js';
import styles from './chain-editor.module.css';
import { Conflict } from './conflict.js';
import { addStep, isStepChanged, keyOf, restoreStep, type StepField, settingsOf } from './draft.js';
import { StepList } from './step-list.js';
import { StepSettings } from './step-settings.js';
import { useChainDraft } from './use-chain-draft.js';
import { VisitorView } from './visitor-view.js';

const route = getRouteApi('/shell/websites/$websiteId');

type Props = { websiteId: string; stored: StoredChain; mayManage: boolean };

/** The steps of a chain beside the settings of the chosen one, and what they mean to a visitor. */
export function ChainEditor({ websiteId, stored, mayManage }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const { step: chosen } = route.useSearch();
  const form = useRef<HTMLFormElement>(null);
  const added = useRef(0);
  /** The field that gets the focus once its step is shown. */
  const [awaited, setAwaited] = useState<{ id: string; field: StepField } | null>(null);
  const chain = useChainDraft(websiteId, stored, (sent) => {
    say(t('chain.saved'));
    const saved = sent.find(({ id }) => id === selected?.id);
    if (saved) select(keyOf(saved));
  });
  const { steps, before, change, save } = chain;
  // What shows stays shown when the order changes.
  const [first] = useState(steps[0]?.id);
  const selected = steps.find(({ id }) => id === (chosen ?? first)) ?? steps[0];
  const removed = before.filter(({ id }) => !steps.some((step) => step.id === id));
  const nameOf = (step: (typeof steps)[number]) => nameStep(step, steps, t);

  const select = (id: string) =>
    void navigate({ to: '.', search: (search) => ({ ...search, step: id }), replace: true });

  useEffect(() => {
    if (!awaited || awaited.id !== selected?.id) return;
    const field = form.current?.elements.namedItem(awaited.field);
    if (field instanceof HTMLElement) field.focus();
    setAwaited(null);
  }, [awaited, selected]);

  function submit() {
    const fault = chain.showFaults();
    if (!fault) return save.mutate({ steps, version: chain.version });
    select(fault.id);
    setAwaited(fault);
  }

  function remove(id: string) {
    const at = steps.findIndex((step) => step.id === id);
    const step = steps[at]!;
    change((current) => current.filter((one) => one.id !== id));
    say(t('chain.removed', { step: nameOf(step) }), () =>
      change((current, stored) => restoreStep(current, stored, step, at)),
    );
  }

  function discard() {
    const restore = chain.discard();
    say(t('chain.discarded'), restore);
  }

  const move = (ids: ReadonlySet<string>, to: Beside) =>
    change((current) => moved(current, ({ id }) => id, ids, to));

  return (
    <>
      <Section
        title={t('chain.steps')}
        actions={
          mayManage && (
            <AddStep
              isProofTaken={steps.some(({ type }) => type === 'altcha')}
              onAdd={(type) => {
                added.current += 1;
                const id = `new-${added.current}`;
                change((current) => addStep(current, type, id));
                select(id);
                setAwaited({ id, field: settingsOf(type)[0] ?? 'key' });
              }}
            />
          )
        }
      >
        {steps.length > 0 && (
          <p className={styles.hint}>{t(mayManage ? 'chain.steps.text' : 'chain.steps.readOnly')}</p>
        )}
        <form
          ref={form}
          noValidate
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {steps.length === 0 && <EmptyState title={t('chain.steps.none')} />}
          {selected && (
            <div className={styles.chain}>
              <StepList
                steps={steps}
                selected={selected.id}
                onSelect={select}
                {...(mayManage && { onMove: move })}
                nameOf={nameOf}
                isChanged={(step) => isStepChanged(step, before)}
                faultsOf={({ id }) =>
                  [...chain.faults, ...chain.refused].filter((fault) => fault.id === id).length
                }
              />
              <StepSettings
                key={selected.id}
                websiteId={websiteId}
                step={selected}
                name={nameOf(selected)}
                position={steps.indexOf(selected)}
                count={steps.length}
                faults={chain.faults.filter(({ id }) => id === selected.id)}
                refused={chain.refused.filter(({ id }) => id === selected.id)}
                isChanged={isStepChanged(selected, before)}
                {...(mayManage && {
                  onChange: (changes) =>
                    change((current) =>
                      current.map((step) => (step.id === selected.id ? { ...step, ...changes } : step)),
                    ),
                  onRemove: () => remove(selected.id),
                  onMove: (by: -1 | 1) =>
                    move(new Set([selected.id]), {
                      key: steps[steps.indexOf(selected) + by]!.id,
                      position: by === -1 ? 'before' : 'after',
                    }),
                })}
              />
            </div>
          )}
          {chain.hasConflict && (
            <Conflict
              theirs={chain.theirs}
              mine={steps}
              isPending={save.isPending}
              onTakeOver={discard}
              onOverwrite={() => save.mutate({ steps, version: stored.version })}
            />
          )}
          {save.error && !chain.hasConflict && chain.refused.length === 0 && <ErrorBox error={save.error} />}
          {chain.isDirty && (
            <div className={styles.actions}>
              {removed.length > 0 && (
                <p>{t('chain.removes', { steps: removed.map(nameOf).join(', '), count: removed.length })}</p>
              )}
              {!chain.hasConflict && (
                <FormActions>
                  <Button type="submit" variant="primary" isPending={save.isPending}>
                    {t('action.save')}
                  </Button>
                  <Button onPress={discard}>{t('chain.discard')}</Button>
                </FormActions>
              )}
            </div>
          )}
        </form>
      </Section>
      <Section title={t('chain.visitor')}>
        <VisitorView steps={steps} proofByDefault={stored.proofByDefault} nameOf={nameOf} />
      </Section>
      <LeaveGuard isDirty={chain.isDirty} leaves={leavesTab} />
    </>
  );
}
