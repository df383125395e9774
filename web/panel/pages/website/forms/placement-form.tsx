import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import { Checkbox } from '../../../parts/fields/checkbox.js';
import { TextArea } from '../../../parts/fields/text-area.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form, FormActions } from '../../../parts/form/form.js';
import { LeaveGuard } from '../../../parts/form/leave-guard.js';
import { isSame } from '../../../parts/merge/same.js';
import { say } from '../../../parts/overlays/toasts.js';
import { type Placement, placementsQuery } from '../../../placements.js';
import type { Website } from '../queries.js';
import { leavesPlacement } from '../search.js';
import { AppearanceFields } from './appearance-fields.js';
import { type PlacementDraft, placementFaults } from './draft.js';
import { PlacementConflict } from './placement-conflict.js';
import { PlacementRules } from './placement-rules.js';
import { placementChanged } from './queries.js';
import { baseOf, mergeDrafts, type SaveConflict, savePlacement, takeTheirs } from './saving.js';

const PlacementTest = lazyRouteComponent(() => import('./placement-test.js'), 'PlacementTest');

type Props = { website: Pick<Website, 'id' | 'locale'>; placement: Placement; onClose(): void };

/** Edits how a form stands on a website. */
export function PlacementForm({ website, placement, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const { form } = placement;
  const { id: websiteId } = website;
  const translated = form.translations.find(({ locale }) => locale === website.locale);
  const message = translated?.confirmationMessage || form.confirmationMessage;
  // The placement as the editing has found it, which the cache forgets when it reads it again.
  const [base, setBase] = useState(() => baseOf(placement));
  const [draft, setDraft] = useState(base.draft);
  const latest = useRef(draft);
  latest.current = draft;
  const [conflict, setConflict] = useState<SaveConflict | null>(null);
  const saveButton = useRef<HTMLButtonElement>(null);
  const [isTested, setTested] = useState(false);
  const save = useMutation({
    mutationFn: (sent: PlacementDraft) => savePlacement({ websiteId, formId: form.id }, base, sent),
    onSuccess: async (found, sent) => {
      setConflict(found);
      if (found) {
        setBase(found.base);
        // With what was typed since it was sent.
        setDraft((now) => mergeDrafts({ base: sent, mine: now, theirs: found.draft }).draft);
        return;
      }
      await placementChanged(client, websiteId, form.id);
      say(t('action.saved'));
      if (isSame(latest.current, sent)) return onClose();
      // What was typed while it was sent stays, to be saved next.
      const list = client.getQueryData(placementsQuery(websiteId).queryKey);
      const stored = list?.find((one) => one.form.id === form.id);
      const saved = stored ? baseOf(stored) : { ...base, draft: sent };
      setBase(saved);
      setDraft((now) => mergeDrafts({ base: sent, mine: now, theirs: saved.draft }).draft);
    },
  });
  const isDirty = !isSame(draft, base.draft);
  const cancel = () => {
    // What another account has saved is to show in the list.
    if (conflict) void placementChanged(client, websiteId, form.id);
    onClose();
  };
  const set =
    <Key extends keyof typeof draft>(key: Key) =>
    (value: (typeof draft)[Key]) =>
      setDraft((now) => ({ ...now, [key]: value }));
  return (
    <Form
      onSubmit={() => save.mutate(draft)}
      error={save.error}
      fieldErrors={(error) => placementFaults(error, t)}
    >
      <LeaveGuard isDirty={isDirty} leaves={leavesPlacement} />
      <Checkbox label={t('placement.enabled')} isSelected={draft.enabled} onChange={set('enabled')} />
      <TextField
        name="cssSelector"
        label={t('placement.selector')}
        hint={t('placement.selectorHint')}
        maxLength={500}
        spellCheck="false"
        autoFocus
        value={draft.cssSelector}
        onChange={set('cssSelector')}
      />
      <TextArea
        name="htmlWrapper"
        label={t('placement.wrapper')}
        hint={t('placement.wrapperHint')}
        maxLength={10_000}
        spellCheck="false"
        value={draft.htmlWrapper}
        onChange={set('htmlWrapper')}
      />
      <TextArea
        name="confirmationMessage"
        label={t('placement.message')}
        hint={t('placement.messageHint', { message })}
        maxLength={5_000}
        value={draft.confirmationMessage}
        onChange={set('confirmationMessage')}
      />
      <TextArea
        name="recipients"
        label={t('placement.recipients')}
        hint={
          form.recipients.length > 0
            ? t('placement.recipientsOfForm', { recipients: form.recipients.join(', ') })
            : t('placement.recipientsOfWebsite')
        }
        spellCheck="false"
        value={draft.recipients}
        onChange={set('recipients')}
      />
      <PlacementRules
        formId={form.id}
        rules={draft.recipientRules}
        // What is wrong with them is said until they are changed.
        error={save.variables?.recipientRules === draft.recipientRules ? save.error : null}
        onChange={set('recipientRules')}
      />
      <AppearanceFields appearance={draft.appearance} onChange={set('appearance')} />
      <div>
        <Button aria-expanded={isTested} onPress={() => setTested(!isTested)}>
          {t('placement.test')}
        </Button>
      </div>
      {isTested && (
        <Suspense fallback={<Skeleton lines={8} />}>
          <PlacementTest website={website} formId={form.id} draft={draft} />
        </Suspense>
      )}
      {conflict && (
        <PlacementConflict
          conflict={conflict}
          onTakeOver={() => {
            setDraft(takeTheirs(draft, conflict));
            setConflict(null);
            saveButton.current?.focus();
          }}
        />
      )}
      <FormActions>
        <Button onPress={cancel}>{t('action.cancel')}</Button>
        <Button ref={saveButton} type="submit" variant="primary" isPending={save.isPending}>
          {t('action.save')}
        </Button>
      </FormActions>
    </Form>
  );
}
