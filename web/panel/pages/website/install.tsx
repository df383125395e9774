import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Note } from '../../parts/feedback/note.js';
import { Code } from '../../parts/layout/code.js';
import { Section } from '../../parts/layout/page.js';
import { Hints } from './install/hints.js';
import { Probes } from './install/probes.js';
import { installQuery } from './install/queries.js';
import { policyOf, reactSnippet, snippetOf } from './install/snippet.js';
import styles from './install.module.css';
import type { Website } from './queries.js';

/** The tab *Install*: what the website's pages need, and whether it works. */
export function InstallTab({ website }: { website: Website }) {
  const { id, host } = website;
  const t = useText();
  const install = useQuery(installQuery(id));
  return (
    <Loaded query={install}>
      {({ installation: { publicUrl, captchaByDefault }, website: { locale, formLinks, captchaChain } }) => {
        const forms = formLinks
          .filter(({ enabled, form }) => enabled && form.active)
          .map(({ cssSelector, form }) => ({ ...form, cssSelector }));
        const address = { gateway: publicUrl, website: id };
        const types = captchaChain.map(({ type }) => type);
        const usual = captchaByDefault ? (['altcha'] as const) : [];
        return (
          <>
            <Section title={t('install.snippet')}>
              <p className={styles.text}>{t('install.snippetText', { host })}</p>
              {forms.length === 0 && (
                <Note>
                  {t('install.noForm')}{' '}
                  <Link to="." search={({ team }) => ({ team, tab: 'forms' })}>
                    {t('website.tab.forms')}
                  </Link>
                </Note>
              )}
              <Code text={snippetOf(forms, { ...address, locale })} copyLabel={t('install.copy')} />
            </Section>
            <Probes website={website} />
            <Section title={t('install.hints')}>
              <Hints host={host} react={reactSnippet(forms[0]?.slug ?? 'contact', address)} />
            </Section>
            <Section title={t('install.policy')}>
              <p className={styles.text}>{t('install.policyText')}</p>
              <Code
                text={policyOf(types.length > 0 ? types : usual, publicUrl)}
                copyLabel={t('install.copyPolicy')}
              />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}
