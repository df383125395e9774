import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Form, FormActions } from '../../../parts/form/form.js';
import { LeaveGuard } from '../../../parts/form/leave-guard.js';
import { useFollow } from '../../../parts/form/use-follow.js';
import type { Collision } from '../../../parts/merge/merge.js';
import { isSame } from '../../../parts/merge/same.js';
import type { SaveConflict } from '../../../parts/merge/save-merged.js';
import { SettingsConflict } from '../../../parts/merge/settings-conflict.js';
import { say } from '../../../parts/overlays/toasts.js';
import { draftFaults, type TextSetting, type WebsiteDraft } from '../../../website-settings/draft.js';
import { WebsiteFields } from '../../../website-settings/website-fields.js';
import { type Settings, settingsQuery } from '../queries.js';
import { leavesTab } from '../search.js';
import { baseOf, mergeDrafts, saveSettings } from './saving.js';

/** Settings whose labels have a name of their own. */
const LABELS = {
  locale: 'website.language',
  timeZone: 'website.timeZone',
  departments: 'website.departments',
} as const;

const hasLabel = (setting: string): setting is keyof typeof LABELS => Object.hasOwn(LABELS, setting);

/** Edits the settings; only what was changed is sent, so that a colleague's other change stays. */
export function SettingsForm({ id, stored }: { id: string; stored: Settings }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const client = useQueryClient();
  // The settings as the first change has found them, which the cache forgets when it reads them again.
  const [base, setBase] = useState(() => baseOf(stored));
  const [draft, setDraft] = useState(base.draft);
  const [conflict, setConflict] = useState<SaveConflict<WebsiteDraft> | null>(null);
  const saveButton = useRef<HTMLButtonElement>(null);
  const isDirty = !isSame(base.draft, draft);
  useFollow(stored, isDirty, (current) => {
    const read = baseOf(current);
    setBase(read);
    setDraft(read.draft);
  });
  const update = useMutation({
    mutationFn: (sent: WebsiteDraft) => saveSettings(id, base, sent),
    onSuccess: async (saving, sent) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['website', id] }),
        client.invalidateQueries({ queryKey: ['websites'] }),
      ]);
      const found = typeof saving === 'object' ? saving : null;
      // As the gateway has stored it: a host in lower case, for example.
      const saved = baseOf(client.getQueryData(settingsQuery(id).queryKey) ?? stored);
      setConflict(found);
      setBase(found?.base ?? saved);
      // What was typed while it was sent stays.
      setDraft((now) => mergeDrafts({ base: sent, mine: now, theirs: found?.draft ?? saved.draft }).draft);
      if (!found) say(t('action.saved'));
    },
  });
  const labelOf = ({ path: [setting = ''] }: Collision) =>
    t(hasLabel(setting) ? LABELS[setting] : `website.setting.${setting as TextSetting}`);
  const wordsOf = ({ path: [setting], theirs }: Collision) => {
    const text = String(theirs);
    if (setting === 'locale') return formatDisplayName(text, { type: 'language' }) ?? text;
    return Array.isArray(theirs) ? theirs.join(', ') : text;
  };
  const takeOver = ({ collisions }: SaveConflict<WebsiteDraft>) => {
    const theirs = Object.fromEntries(collisions.map(({ path: [setting], theirs }) => [setting, theirs]));
    setDraft((now) => ({ ...now, ...theirs }));
    setConflict(null);
    saveButton.current?.focus();
  };
  return (
    <Form
      onSubmit={() => update.mutate(draft)}
      error={update.error}
      fieldErrors={(error) => draftFaults(error, t)}
    >
      <LeaveGuard isDirty={isDirty} leaves={leavesTab} />
      <WebsiteFields draft={draft} onChange={setDraft} isNew={false} />
      {conflict && (
        <SettingsConflict
          collisions={conflict.collisions}
          labelOf={labelOf}
          wordsOf={wordsOf}
          onTakeOver={() => takeOver(conflict)}
        />
      )}
      <FormActions>
        <Button
          ref={saveButton}
          type="submit"
          variant="primary"
          isPending={update.isPending}
          isDisabled={!isDirty}
        >
          {t('action.save')}
        </Button>
      </FormActions>
    </Form>
  );
}
