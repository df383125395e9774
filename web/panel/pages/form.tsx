import { useQuery } from '@tanstack/react-query';
import {
  type AsyncRouteComponent,
  getRouteApi,
  lazyRouteComponent,
  useNavigate,
} from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef } from 'react';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { LeaveGuard } from '../parts/form/leave-guard.js';
import { useKeys } from '../parts/keyboard/keys.js';
import { Badge } from '../parts/layout/badge.js';
import { Page } from '../parts/layout/page.js';
import { Tabs } from '../parts/layout/tabs.js';
import { inRoom } from '../room.js';
import { useMayManage } from '../session.js';
import { type Faults, placeOf } from './form/faults.js';
import { focusFault } from './form/focus-fault.js';
import { FormMenu } from './form/form-menu.js';
import { type FormDraft, formQuery, type SavedForm } from './form/queries.js';
import { TABS, type Tab } from './form/search.js';
import { type TabProps, useDraft } from './form/use-draft.js';
import styles from './form.module.css';

const route = getRouteApi('/shell/forms/$formId');

/** The content of each tab, which is loaded once it is selected. */
const CONTENTS: Readonly<Record<Tab, AsyncRouteComponent<TabProps>>> = {
  fields: lazyRouteComponent(() => import('./form/fields.js'), 'FieldsTab'),
  texts: lazyRouteComponent(() => import('./form/texts.js'), 'TextsTab'),
  translations: inRoom(
    'translations',
    lazyRouteComponent(() => import('./form/translations.js'), 'TranslationsTab'),
  ),
  websites: lazyRouteComponent(() => import('./form/websites.js'), 'WebsitesTab'),
  history: inRoom(
    'history',
    lazyRouteComponent(() => import('./form/history.js'), 'HistoryTab'),
  ),
};

const ConflictDialog = lazyRouteComponent(() => import('./form/conflict-dialog.js'), 'ConflictDialog');
const Refusal = lazyRouteComponent(() => import('./form/refusal.js'), 'Refusal');
const Preview = lazyRouteComponent(() => import('./form/preview.js'), 'Preview');

/** Loads what the way to a save may need: the other tabs, the preview, and what a refusal or a conflict shows. */
const loadParts = () =>
  Promise.allSettled([
    import('./form/fields/field-panel.js'),
    ...[...Object.values(CONTENTS), ConflictDialog, Refusal, Preview].map((part) => part.preload?.()),
  ]);

/** A form: a tab for each concern, the preview beside them. */
export function FormPage() {
  const t = useText();
  const { formId } = route.useParams();
  const form = useQuery(formQuery(formId));
  if (!form.data) {
    return (
      <Page title={t('forms.title')} isWide>
        <Loaded query={form} skeleton={<Skeleton lines={12} />}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Loaded query={form}>{(read) => <Editor key={read.id} read={read} />}</Loaded>;
}

/** Counts the faults that each tab is to be opened for. */
function faultsByTab(faults: Faults, draft: FormDraft): ReadonlyMap<Tab, number> {
  const counts = new Map<Tab, number>();
  for (const path of Object.keys(faults)) {
    const { tab } = placeOf(path, draft);
    counts.set(tab, (counts.get(tab) ?? 0) + 1);
  }
  return counts;
}

function Editor({ read }: { read: SavedForm }) {
  const t = useText();
  const { tab = 'fields', preview, narrow } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMayManage(read.teamId);
  const editing = useDraft(read);
  const { form, draft, change, hold, faults, refusals, refused, isDirty, isSaving, error, save } = editing;
  const props: TabProps = { form, draft, change, hold, faults };
  const parts = useRef<HTMLDivElement>(null);
  const latest = useRef({ draft, faults, isDirty, isSaving, save });
  latest.current = { draft, faults, isDirty, isSaving, save };
  const wrong = faultsByTab(faults, draft);

  // An upgrade of the gateway takes these files away, and a part that is missing reloads the page, without the changes.
  useEffect(() => {
    if (isDirty) void loadParts();
  }, [isDirty]);

  const open = useCallback(
    async (path: string) => {
      const { tab, field, language } = placeOf(path, latest.current.draft);
      await navigate({
        to: '.',
        search: (given) => ({ ...given, language, tab: tab === 'fields' ? undefined : tab, field }),
        replace: true,
      });
      if (parts.current) focusFault(parts.current, path);
    },
    [navigate],
  );

  // Each refusal leads to its first fault, which may be found a moment later, unless the draft is changed before.
  const followed = useRef(0);
  useEffect(() => {
    const [first] = Object.keys(faults);
    const isToLead = refusals > followed.current && draft === refused;
    if (isToLead && !first) return;
    followed.current = refusals;
    if (isToLead && first) void open(first);
  }, [refusals, refused, draft, faults, open]);

  const saveByKey = () => {
    const typedInto = document.activeElement;
    // Some texts are taken over when the cursor leaves them, with the next rendering.
    if (typedInto instanceof HTMLElement) typedInto.blur();
    setTimeout(() => {
      const { isDirty, isSaving, save } = latest.current;
      if (isDirty && !isSaving) save();
      if (typedInto instanceof HTMLElement) typedInto.focus();
    });
  };
  useKeys(mayManage ? [{ key: 'Ctrl+S', text: t('action.save'), run: saveByKey }] : []);

  const Content = CONTENTS[tab];
  return (
    <Page
      title={draft.name.trim() || form.content.name}
      isWide
      actions={
        <div className={styles.actions}>
          {!draft.active && <Badge tone="warning">{t('form.inactive')}</Badge>}
          {isDirty && <span className={styles.unsaved}>{t('form.unsaved')}</span>}
          <Button
            aria-pressed={preview === '1'}
            onPress={() =>
              navigate({
                to: '.',
                search: (given) => ({ ...given, preview: preview ? undefined : '1' }),
              })
            }
          >
            {t('form.preview')}
          </Button>
          {mayManage && <FormMenu form={form} draft={draft} isDirty={isDirty} change={change} />}
          {mayManage && (
            <Button variant="primary" onPress={save} isPending={isSaving} isDisabled={!isDirty}>
              {t('action.save')}
            </Button>
          )}
        </div>
      }
    >
      {error && <ErrorBox error={error} onRetry={save} />}
      {refusals > 0 && Object.keys(faults).length > 0 && (
        <Suspense>
          <Refusal draft={draft} faults={faults} onOpen={open} />
        </Suspense>
      )}
      <div ref={parts} className={styles.parts} data-preview={preview && (narrow ? 'narrow' : 'wide')}>
        <div className={styles.tabs}>
          <Tabs
            label={t('form.tabs', { name: form.content.name })}
            tabs={TABS.map((id) => {
              const text = t(`form.tab.${id}`);
              const count = wrong.get(id);
              return { id, text: count ? t('form.tabFaults', { tab: text, count }) : text };
            })}
            selected={tab}
            onSelect={(selected) =>
              navigate({
                to: '.',
                search: (given) => ({
                  ...given,
                  field: undefined,
                  version: undefined,
                  since: undefined,
                  tab: selected === 'fields' ? undefined : selected,
                }),
              })
            }
          >
            <Content {...props} />
          </Tabs>
        </div>
        {preview && (
          <section className={styles.preview} aria-label={t('form.preview')}>
            <Suspense fallback={<Skeleton lines={8} />}>
              <Preview {...props} />
            </Suspense>
          </section>
        )}
      </div>
      {editing.conflict && (
        <Suspense>
          <ConflictDialog
            key={editing.conflict.theirs.version}
            conflict={editing.conflict}
            onDecide={editing.decide}
            onClose={editing.closeConflict}
          />
        </Suspense>
      )}
      <LeaveGuard isDirty={isDirty} />
    </Page>
  );
}
