import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { GatewayError, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Checkbox } from '../../../parts/checkbox.js';
import { Dialog, DialogActions } from '../../../parts/dialog.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Form, FormActions } from '../../../parts/form.js';
import { LeaveGuard } from '../../../parts/leave-guard.js';
import { TextField } from '../../../parts/text-field.js';
import { say } from '../../../parts/toasts.js';
import styles from '../privacy.module.css';
import { leavesTab } from '../search.js';
import { Preview } from './preview.js';
import { previewQuery, type Retention, type RetentionInput, retentionQuery, SAVE } from './queries.js';

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

/** Sets for how long a team and its forms keep leads; what that deletes is shown before it is saved. */
export function RetentionForm({ teamId, stored }: { teamId: string; stored: Retention }) {
  const t = useText();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(stored));
  /** The version that the draft is a change of. */
  const [version, setVersion] = useState(stored.version);
  const [isAsking, setAsking] = useState(false);
  const input = inputOf(draft);
  const preview = useQuery(previewQuery(teamId, input));
  const show = (current: Retention) => {
    setDraft(draftOf(current));
    setVersion(current.version);
    setAsking(false);
  };
  const save = useMutation({
    mutationFn: async () => (await request(SAVE, { teamId, input: input!, version })).saveRetention,
    onSuccess: (saved) => {
      client.setQueryData(retentionQuery(teamId).queryKey, saved);
      show(saved);
      say(t('action.saved'));
    },
    onError: async (error) => {
      // What another account has saved is shown beside the error, and can be changed again.
      if (error instanceof GatewayError && error.code === 'CONFLICT')
        show(await client.fetchQuery({ ...retentionQuery(teamId), staleTime: 0 }));
    },
  });
  const due = preview.data?.due ?? 0;
  const isCurrent = preview.data !== undefined && !preview.isPlaceholderData;
  const faultOf = (text: string) => (isMonths(text) ? null : t('retention.fault', { max: MAX_MONTHS }));
  return (
    <Form
      error={isAsking ? null : save.error}
      onSubmit={() => {
        if (due > 0) setAsking(true);
        else save.mutate();
      }}
    >
      <LeaveGuard isDirty={JSON.stringify(draft) !== JSON.stringify(draftOf(stored))} leaves={leavesTab} />
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
      <Preview preview={input && (preview.data ?? null)} error={preview.error} />
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
      <Dialog title={t('retention.ask')} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{t(preview.data?.isExact ? 'retention.askText' : 'retention.askTextMany', { count: due })}</p>
        {save.error && <ErrorBox error={save.error} />}
        <DialogActions>
          <Button onPress={() => setAsking(false)}>{t('action.cancel')}</Button>
          <Button variant="danger" isPending={save.isPending} onPress={() => save.mutate()}>
            {t('retention.confirm')}
          </Button>
        </DialogActions>
      </Dialog>
    </Form>
  );
}
