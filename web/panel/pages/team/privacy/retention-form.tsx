import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Checkbox } from '../../../parts/fields/checkbox.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form, FormActions } from '../../../parts/form/form.js';
import { LeaveGuard } from '../../../parts/form/leave-guard.js';
import { useFollow } from '../../../parts/form/use-follow.js';
import { isSame } from '../../../parts/merge/same.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { useSettled } from '../../../parts/search/use-settled.js';
import styles from '../privacy.module.css';
import { leavesTab } from '../search.js';
import { Preview } from './preview.js';
import { previewQuery, type Retention, type RetentionInput, retentionQuery, SAVE } from './queries.js';
import { RetentionFacts } from './retention-facts.js';

/** The most months that the gateway takes. */
const MAX_MONTHS = 1_200;

/** What is typed: months as texts, an empty one of a form meaning the team's. */
type Draft = Readonly<{ isForEver: boolean; months: string; forms: Readonly<Record<string, string>> }>;

const draftOf = ({ retentionMonths, forms }: Retention): Draft => ({
  isForEver: retentionMonths === null,
  months: String(retentionMonths ?? ''),
  forms: Object.fromEntries(forms.map((form) => [form.formId, String(form.retentionMonths ?? '')])),
});

const isMonths = (text: string): boolean => /^[1-9]\d{0,3}$/.test(text.trim()) && Number(text) <= MAX_MONTHS;

/** Reads what is typed; null while it is at fault. */
function inputOf({ isForEver, months, forms }: Draft): RetentionInput | null {
  const own = Object.entries(forms).filter(([, text]) => text.trim() !== '');
  if (!(isForEver || isMonths(months)) || own.some(([, text]) => !isMonths(text))) return null;
  return {
    retentionMonths: isForEver ? null : Number(months),
    forms: own.map(([formId, text]) => ({ formId, retentionMonths: Number(text) })),
  };
}

/** Keeps what was typed since before over what has been saved meanwhile; the rest is as saved. */
function mergeDrafts(before: Draft, typed: Draft, saved: Draft): Draft {
  const isTyped = typed.isForEver !== before.isForEver || typed.months !== before.months;
  const forms = Object.entries(saved.forms).map(([formId, months]) => {
    const own = typed.forms[formId];
    return [formId, own === undefined || own === before.forms[formId] ? months : own];
  });
  const { isForEver, months } = isTyped ? typed : saved;
  return { isForEver, months, forms: Object.fromEntries(forms) };
}

/** Sets for how long a team and its forms keep leads; what that deletes is shown before it is saved. */
export function RetentionForm({ teamId, stored }: { teamId: string; stored: Retention }) {
  const t = useText();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(stored));
  /** What the draft is a change of. */
  const [before, setBefore] = useState(stored);
  /** What another account has saved since the draft was begun. */
  const [conflicting, setConflicting] = useState<Retention | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isDirty = !isSame(draft, draftOf(before));
  useFollow(stored, isDirty, (current) => {
    setBefore(current);
    setDraft(draftOf(current));
  });
  const settled = useSettled(draft);
  const input = inputOf(draft);
  const preview = useQuery(previewQuery(teamId, inputOf(settled)));
  const save = useMutation({
    mutationFn: async (sent: Draft) =>
      (await request(SAVE, { teamId, input: inputOf(sent)!, version: before.version })).saveRetention,
    onSuccess: (saved, sent) => {
      client.setQueryData(retentionQuery(teamId).queryKey, saved);
      // What was typed while it was sent stays.
      setDraft((now) => mergeDrafts(sent, now, draftOf(saved)));
      setBefore(saved);
      setConflicting(null);
      setAsking(false);
      say(t('action.saved'));
    },
    onError: async (error) => {
      if (!isConflict(error)) return;
      const current = await client.fetchQuery({ ...retentionQuery(teamId), staleTime: 0 });
      setDraft((now) => mergeDrafts(draftOf(before), now, draftOf(current)));
      setBefore(current);
      setConflicting(current);
      setAsking(false);
    },
  });
  const due = preview.data?.due ?? 0;
  /** Whether leads are deleted, or may be. */
  const deletes = due > 0 || preview.data?.isExact === false;
  const isCurrent = settled === draft && preview.data !== undefined && !preview.isPlaceholderData;
  const faultOf = (text: string) => (isMonths(text) ? null : t('retention.fault', { max: MAX_MONTHS }));
  return (
    <Form
      error={isAsking ? null : save.error}
      onSubmit={() => {
        if (deletes) setAsking(true);
        else save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={isDirty} leaves={leavesTab} />
      {conflicting && (
        <>
          <p>{t('retention.conflicting')}</p>
          <RetentionFacts retention={conflicting} />
        </>
      )}
      <p>{t('retention.text')}</p>
      <div className={styles.period}>
        <TextField
          label={t('retention.ofTeam')}
          name="months"
          inputMode="numeric"
          isRequired={!draft.isForEver}
          isDisabled={draft.isForEver}
          value={draft.isForEver ? '' : draft.months}
          validate={faultOf}
          onChange={(months) => setDraft({ ...draft, months })}
        />
        <Checkbox
          label={t('retention.forEver')}
          isSelected={draft.isForEver}
          onChange={(isForEver) => setDraft({ ...draft, isForEver, months: draft.months || '36' })}
        />
      </div>
      {stored.forms.length > 0 && (
        <fieldset className={styles.own}>
          <legend>{t('retention.ofForms')}</legend>
          <div className={styles.forms}>
            {stored.forms.map(({ formId, name }) => (
              <TextField
                key={formId}
                label={name}
                name={`form-${formId}`}
                inputMode="numeric"
                placeholder={t('retention.asTeam')}
                value={draft.forms[formId] ?? ''}
                validate={faultOf}
                onChange={(text) => setDraft({ ...draft, forms: { ...draft.forms, [formId]: text } })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Preview
        preview={input && (preview.data ?? null)}
        error={preview.error}
        onRetry={() => void preview.refetch()}
      />
      <FormActions>
        <Button
          type="submit"
          variant="primary"
          isPending={save.isPending}
          isDisabled={input !== null && !isCurrent}
        >
          {t('action.save')}
        </Button>
      </FormActions>
      <Dialog
        title={t('retention.ask')}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isPending={save.isPending}
      >
        <p>{t(preview.data?.isExact ? 'retention.askText' : 'retention.askTextMany', { count: due })}</p>
        {save.error && <ErrorBox error={save.error} />}
        <DialogButtons action={t('retention.confirm')} variant="danger" onPress={() => save.mutate(draft)} />
      </Dialog>
    </Form>
  );
}
