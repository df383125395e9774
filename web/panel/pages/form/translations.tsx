import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { useFaultWords } from '../../parts/form/fault-words.js';
import { useKeys } from '../../parts/keyboard/keys.js';
import { useMayManage } from '../../session.js';
import {
  missingTexts,
  targetLocales,
  textsOf,
  translationOf,
  withLanguage,
  withoutLanguage,
  withTranslation,
} from './translations/draft-texts.js';
import { ExportTranslations, ImportTranslations } from './translations/file-actions.js';
import { AddLanguage, RemoveLanguage } from './translations/language-actions.js';
import { LanguageList } from './translations/language-list.js';
import { useLanguageName } from './translations/languages.js';
import { FieldTexts, OwnTexts } from './translations/text-group.js';
import { type Edit, textId } from './translations/text-row.js';
import styles from './translations.module.css';
import type { TabProps } from './use-draft.js';

const route = getRouteApi('/shell/forms/$formId');

/** Every text of the form in its source language and in another one, side by side. */
export function TranslationsTab({ form, draft, change, faults }: TabProps) {
  const t = useText();
  const navigate = useNavigate();
  const nameOf = useLanguageName();
  const faultWords = useFaultWords();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same words for the same faults draw no field again
  const refused = useMemo(() => faultWords(faults), [faults, t]);
  const isReadOnly = !useMayManage(form.teamId);
  const { language } = route.useSearch();
  const locales = targetLocales(draft);
  const locale = locales.find((one) => one === language) ?? locales[0];
  // Counting thousands of texts comes after what was typed shows.
  const settled = useDeferredValue(draft);
  const counts = useMemo(
    () => new Map(targetLocales(settled).map((one) => [one, missingTexts(settled, one).length])),
    [settled],
  );

  const show = useCallback(
    (shown: string | undefined) =>
      navigate({
        to: '.',
        search: (given) => ({ ...given, language: shown }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onEdit = useCallback<Edit>(
    (place, text) => {
      if (locale) change((before) => withTranslation(before, place, locale, text));
    },
    [change, locale],
  );

  const lastFocus = useRef<string | null>(null);
  const focusAfter = useRef<string | null>(null);
  const focus = (id: string) => {
    const box = document.getElementById(id);
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: 'center' });
  };
  // A jump into another language ends once its texts are there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said.
  useEffect(() => {
    if (focusAfter.current) focus(focusAfter.current);
    focusAfter.current = null;
  }, [locale]);

  const jump = () => {
    const idsIn = (one: string) => missingTexts(draft, one).map(({ place }) => textId(place));
    const ids = locale ? idsIn(locale) : [];
    if (ids.length > 0) {
      const order = textsOf(draft).map(({ place }) => textId(place));
      const from = order.indexOf(lastFocus.current ?? '');
      return focus(ids.find((id) => order.indexOf(id) > from) ?? ids[0]!);
    }
    const lacking = locales.find((one) => idsIn(one).length > 0);
    if (!lacking) return;
    focusAfter.current = idsIn(lacking)[0]!;
    void show(lacking);
  };
  const isComplete = [...counts.values()].every((count) => count === 0);
  useKeys(isReadOnly ? [] : [{ key: 'n', text: t('translations.next'), run: jump }]);

  const given = { sourceLocale: draft.sourceLocale, locale: locale ?? '', refused, isReadOnly, onEdit };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the text boxes in it.
    <div
      className={styles.tab}
      onFocus={({ target }) => {
        if (target instanceof HTMLTextAreaElement) lastFocus.current = target.id;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        jump();
      }}
    >
      {locale && <LanguageList missing={counts} current={locale} />}
      <div className={styles.actions}>
        {!isReadOnly && (
          <>
            {locale && (
              <Button aria-keyshortcuts="n Control+Enter" onPress={jump} isDisabled={isComplete}>
                {t('translations.next')}
              </Button>
            )}
            {locale && !isComplete && <span className={styles.hint}>{t('translations.nextHint')}</span>}
            <AddLanguage
              taken={[draft.sourceLocale, ...locales]}
              onAdd={(added) => {
                change((before) => withLanguage(before, added));
                void show(added);
              }}
            />
            {locale && (
              <RemoveLanguage
                locale={locale}
                count={() => textsOf(draft).filter(({ place }) => translationOf(draft, place, locale)).length}
                onRemove={() => {
                  change((before) => withoutLanguage(before, locale));
                  void show(undefined);
                }}
              />
            )}
          </>
        )}
        <span className={styles.files}>
          <ExportTranslations draft={draft} slug={form.slug} />
          {!isReadOnly && <ImportTranslations draft={draft} change={change} />}
        </span>
      </div>
      {locale ? (
        <div className={styles.texts}>
          <div className={styles.headings} aria-hidden="true">
            <span />
            <span>{t('translations.source', { language: nameOf(draft.sourceLocale) })}</span>
            <span>{nameOf(locale)}</span>
          </div>
          <OwnTexts draft={draft} {...given} />
          {draft.fields.map((field, position) => (
            <FieldTexts key={field.name} field={field} position={position} {...given} />
          ))}
        </div>
      ) : (
        <EmptyState title={t('translations.none', { language: nameOf(draft.sourceLocale) })}>
          <p>{t('translations.noneText')}</p>
        </EmptyState>
      )}
    </div>
  );
}
