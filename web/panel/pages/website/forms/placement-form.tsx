import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Checkbox } from '../../../parts/checkbox.js';
import { Form, FormActions } from '../../../parts/form.js';
import { LeaveGuard } from '../../../parts/leave-guard.js';
import { Skeleton } from '../../../parts/skeleton.js';
import { TextArea } from '../../../parts/text-area.js';
import { TextField } from '../../../parts/text-field.js';
import { say } from '../../../parts/toasts.js';
import { type Placement, placementsQuery, SAVE } from '../../../placements.js';
import type { Website } from '../queries.js';
import { leavesPlacement } from '../search.js';
import { AppearanceFields } from './appearance-fields.js';
import { changesSince, draftOf, inputOf, type PlacementDraft, placementFaults } from './draft.js';
import { PlacementRules } from './placement-rules.js';
import { placementChanged } from './queries.js';

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
  const [before] = useState(() => draftOf(placement));
  const [draft, setDraft] = useState(before);
  const [isTested, setTested] = useState(false);
  const save = useMutation({
    mutationFn: async (sent: PlacementDraft) => {
      // A placement is saved as a whole: what was not changed here goes as it is stored by now.
      const placements = await client.fetchQuery({ ...placementsQuery(websiteId), staleTime: 0 });
      const stored = placements.find((one) => one.form.id === form.id);
      const merged = stored ? { ...draftOf(stored), ...changesSince(before, sent) } : sent;
      return request(SAVE, { websiteId, formId: form.id, input: inputOf(merged) });
    },
    onSuccess: async () => {
      await placementChanged(client, websiteId, form.id);
      say(t('action.saved'));
      onClose();
    },
  });
  const isDirty = Object.keys(changesSince(before, draft)).length > 0;
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
      <FormActions>
        <Button onPress={onClose}>{t('action.cancel')}</Button>
        <Button type="submit" variant="primary" isPending={save.isPending}>
          {t('action.save')}
        </Button>
      </FormActions>
    </Form>
  );
}
