import { useQuery } from '@tanstack/react-query';
import { type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { IntlProvider, useIntl } from 'react-intl';
import { viewerQuery } from './session.js';
import type { TextId } from './texts/text-id.js';

/** Texts by their ids, which the build has parsed. */
export type Texts = Readonly<Record<string, string>>;

/** The catalogues by room: texts that any page may show, and those of the pages in a room (`texts/rooms.json`). */
const CATALOGUES = {
  en: {
    common: () => import('./texts/en.json?room=common'),
    account: () => import('./texts/en.json?room=account'),
    attention: () => import('./texts/en.json?room=attention'),
    audit: () => import('./texts/en.json?room=audit'),
    captcha: () => import('./texts/en.json?room=captcha'),
    console: () => import('./texts/en.json?room=console'),
    emptyInbox: () => import('./texts/en.json?room=emptyInbox'),
    forms: () => import('./texts/en.json?room=forms'),
    history: () => import('./texts/en.json?room=history'),
    inbox: () => import('./texts/en.json?room=inbox'),
    install: () => import('./texts/en.json?room=install'),
    leadDialogs: () => import('./texts/en.json?room=leadDialogs'),
    outer: () => import('./texts/en.json?room=outer'),
    people: () => import('./texts/en.json?room=people'),
    placements: () => import('./texts/en.json?room=placements'),
    privacy: () => import('./texts/en.json?room=privacy'),
    report: () => import('./texts/en.json?room=report'),
    secondFactor: () => import('./texts/en.json?room=secondFactor'),
    spamSettings: () => import('./texts/en.json?room=spamSettings'),
    statistics: () => import('./texts/en.json?room=statistics'),
    teams: () => import('./texts/en.json?room=teams'),
    translations: () => import('./texts/en.json?room=translations'),
    websiteImport: () => import('./texts/en.json?room=websiteImport'),
    websites: () => import('./texts/en.json?room=websites'),
  },
  fr: {
    common: () => import('./texts/fr.json?room=common'),
    account: () => import('./texts/fr.json?room=account'),
    attention: () => import('./texts/fr.json?room=attention'),
    audit: () => import('./texts/fr.json?room=audit'),
    captcha: () => import('./texts/fr.json?room=captcha'),
    console: () => import('./texts/fr.json?room=console'),
    emptyInbox: () => import('./texts/fr.json?room=emptyInbox'),
    forms: () => import('./texts/fr.json?room=forms'),
    history: () => import('./texts/fr.json?room=history'),
    inbox: () => import('./texts/fr.json?room=inbox'),
    install: () => import('./texts/fr.json?room=install'),
    leadDialogs: () => import('./texts/fr.json?room=leadDialogs'),
    outer: () => import('./texts/fr.json?room=outer'),
    people: () => import('./texts/fr.json?room=people'),
    placements: () => import('./texts/fr.json?room=placements'),
    privacy: () => import('./texts/fr.json?room=privacy'),
    report: () => import('./texts/fr.json?room=report'),
    secondFactor: () => import('./texts/fr.json?room=secondFactor'),
    spamSettings: () => import('./texts/fr.json?room=spamSettings'),
    statistics: () => import('./texts/fr.json?room=statistics'),
    teams: () => import('./texts/fr.json?room=teams'),
    translations: () => import('./texts/fr.json?room=translations'),
    websiteImport: () => import('./texts/fr.json?room=websiteImport'),
    websites: () => import('./texts/fr.json?room=websites'),
  },
};

export type Language = keyof typeof CATALOGUES;
/** The language of a locale that the panel speaks. */
export const languageOf = (locale: string): Language => (locale.startsWith('fr') ? 'fr' : 'en');

/** Returns the language in which the page is shown, for texts that the gateway words. */
export const useLanguage = (): Language => languageOf(useIntl().locale);

export type Room = Exclude<keyof (typeof CATALOGUES)['en'], 'common'>;

const loading = new Map<() => unknown, Promise<Texts>>();
const loaded = new Map<() => unknown, Texts>();

/** Returns the texts of a room, always the same promise unless they did not come. */
export function textsOf(language: Language, room: Room | 'common'): Promise<Texts> {
  const load = CATALOGUES[language][room];
  const texts = loading.get(load) ?? load().then((catalogue) => catalogue.default);
  loading.set(load, texts);
  texts.then(
    (all) => loaded.set(load, all),
    () => loading.delete(load),
  );
  return texts;
}

/**
 * Returns the texts of a room within a component, which suspends until they have come. Loaded ones are returned at
 * once: React suspends even for a promise that is settled, and then keeps the fallback for 300 ms.
 */
export const useTexts = (language: Language, room: Room): Texts =>
  loaded.get(CATALOGUES[language][room]) ?? use(textsOf(language, room));

/** Loads texts ahead, so that a page does not begin in another language. */
export const loadTexts = async (language: Language): Promise<void> =>
  void (await textsOf(language, 'common'));

const isLanguage = (tag: string): tag is Language => Object.hasOwn(CATALOGUES, tag);

/** The browser's first language that the panel speaks, else English. */
const ofBrowser = (): Language =>
  navigator.languages.map((tag) => tag.split('-')[0]!).find(isLanguage) ?? 'en';

/** The locale for formats: as the browser has it where it speaks that language, so that a Swiss reads Swiss numbers. */
const localeOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.startsWith(`${language}-`)) ?? { en: 'en-GB', fr: 'fr-FR' }[language];

/** How often the first texts are asked for again. */
const RETRIES = 3;
const PAUSE_MS = 1_000;

/** What is said when no text has come; the catalogues are what is missing. */
const NOTHING_CAME = {
  en: ['The panel could not be loaded.', 'Reload'],
  fr: ['Le panneau n’a pas pu être chargé.', 'Recharger'],
};

type Spoken = Readonly<{ language: Language; texts: Texts }>;

/** Gives all within the language of the account, or of the browser while none is logged in. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const { data: viewer } = useQuery({ ...viewerQuery, enabled: false });
  const language = viewer?.language ?? ofBrowser();
  const [spoken, setSpoken] = useState<Spoken | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    setFailed(false);
    let timer: ReturnType<typeof setTimeout>;
    const load = (retries: number) =>
      textsOf(language, 'common').then(
        (texts) => {
          if (!isCurrent) return;
          document.documentElement.lang = language;
          setSpoken({ language, texts });
        },
        () => {
          if (!isCurrent) return;
          if (retries === RETRIES) setFailed(true);
          else timer = setTimeout(load, PAUSE_MS * 2 ** retries, retries + 1);
        },
      );
    void load(0);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [language]);
  if (!spoken) {
    if (!hasFailed) return null;
    const [text, reload] = NOTHING_CAME[language];
    return (
      <p role="alert">
        {text}{' '}
        <button type="button" onClick={() => location.reload()}>
          {reload}
        </button>
      </p>
    );
  }
  const locale = localeOf(spoken.language);
  return (
    <IntlProvider locale={locale} messages={spoken.texts}>
      <I18nProvider locale={locale}>{children}</I18nProvider>
    </IntlProvider>
  );
}

/** Returns the function that looks a text up and fills in its values. */
export function useText() {
  const intl = useIntl();
  return useCallback(
    (id: TextId, values?: Record<string, string | number | null>): string =>
      intl.formatMessage({ id }, values),
    [intl],
  );
}
