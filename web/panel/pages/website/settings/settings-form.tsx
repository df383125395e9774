import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Form, FormActions } from '../../../parts/form.js';
import { LeaveGuard } from '../../../parts/leave-guard.js';
import { say } from '../../../parts/toasts.js';
import {
  draftFaults,
  TEXT_SETTINGS,
  type TextSetting,
  type WebsiteDraft,
} from '../../../website-settings/draft.js';
import { WebsiteFields } from '../../../website-settings/website-fields.js';
import { type Settings, settingsQuery, UPDATE } from '../queries.js';
import { leavesTab } from '../search.js';

const draftOf = (stored: Settings): WebsiteDraft => ({
  ...(Object.fromEntries(TEXT_SETTINGS.map((setting) => [setting, stored[setting]])) as Record<
    TextSetting,
    string
  >),
  locale: stored.locale,
  timeZone: stored.timeZone,
  departments: stored.departments.map(({ code }) => code),
});

/** The settings of a draft that are not as they were. */
const changesSince = (before: WebsiteDraft, draft: WebsiteDraft): Partial<WebsiteDraft> =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([setting, value]) => String(value) !== String(before[setting as keyof WebsiteDraft]),
    ),
  );

/** Edits the settings; only what was changed is sent, so that a colleague's other change stays. */
export function SettingsForm({ id, stored }: { id: string; stored: Settings }) {
  const t = useText();
  const client = useQueryClient();
  // The settings as the editing has found them, which the cache forgets when it reads them again.
  const [before, setBefore] = useState(() => draftOf(stored));
  const [draft, setDraft] = useState(before);
  const isDirty = Object.keys(changesSince(before, draft)).length > 0;
  const update = useMutation({
    mutationFn: (sent: WebsiteDraft) => request(UPDATE, { id, input: changesSince(before, sent) }),
    onSuccess: async (_, sent) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['website', id] }),
        client.invalidateQueries({ queryKey: ['websites'] }),
      ]);
      // As the gateway has stored it: a host in lower case, for example.
      const saved = draftOf(client.getQueryData(settingsQuery(id).queryKey) ?? stored);
      setBefore(saved);
      // What was typed while it was sent stays.
      setDraft((now) => ({ ...saved, ...changesSince(sent, now) }));
      say(t('action.saved'));
    },
  });
  return (
    <Form
      onSubmit={() => update.mutate(draft)}
      error={update.error}
      fieldErrors={(error) => draftFaults(error, t)}
    >
      <LeaveGuard isDirty={isDirty} leaves={leavesTab} />
      <WebsiteFields draft={draft} onChange={setDraft} isNew={false} />
      <FormActions>
        <Button type="submit" variant="primary" isPending={update.isPending} isDisabled={!isDirty}>
          {t('action.save')}
        </Button>
      </FormActions>
    </Form>
  );
}
