import { getRouteApi, Outlet, useMatches } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { CloseIcon, MenuIcon } from '../parts/icons/icons.js';
import { Toasts } from '../parts/overlays/toasts.js';
import { useViewer } from '../session.js';
import { applyTheme } from '../theme.js';
import { AccountMenu } from './account-menu.js';
import { DemoMark } from './demo-mark.js';
import { ExportBanner } from './export-banner.js';
import { KeysDialog } from './keys-dialog.js';
import { Navigation } from './navigation.js';
import { PasswordDialog } from './password-dialog.js';
import styles from './shell.module.css';
import { Standing } from './standing.js';
import { TeamSwitcher } from './team-switcher.js';
import { ViewBanner } from './view-banner.js';

const route = getRouteApi('/shell');

/** Navigation and account beside the page. On a narrow screen they are behind a button. */
export function Shell() {
  const t = useText();
  const { theme } = useViewer();
  // A page has parts in the address below its own, such as the lead that the inbox shows.
  const pathname = useMatches({ select: ([, , page]) => page?.pathname });
  const { team } = route.useSearch();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);

  useEffect(() => applyTheme(theme), [theme]);

  // A new page is read from its beginning.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    setOpen(false);
    main.current?.focus();
  }, [pathname]);

  // On a narrow screen the navigation covers the page that a choice of the team has changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the team is what it runs for.
  useEffect(() => setOpen(false), [team]);

  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t('nav.skip')}
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is one of what has the focus within. */}
      <header
        className={styles.header}
        onKeyDown={({ key }) => {
          if (key !== 'Escape' || !isOpen) return;
          setOpen(false);
          opener.current?.focus();
        }}
      >
        <div className={styles.bar}>
          <Button
            ref={opener}
            variant="quiet"
            isSquare
            aria-label={t(isOpen ? 'nav.close' : 'nav.open')}
            aria-expanded={isOpen}
            onPress={() => setOpen(!isOpen)}
          >
            {isOpen ? <CloseIcon /> : <MenuIcon />}
          </Button>
          <span className={styles.brand}>Formgate</span>
          <DemoMark />
        </div>
        <div className={styles.aside} data-open={isOpen || undefined}>
          <div className={styles.top}>
            <span className={styles.brand}>Formgate</span>
            <DemoMark />
          </div>
          <TeamSwitcher />
          <Navigation />
          <AccountMenu />
        </div>
      </header>
      <main
        id="content"
        ref={main}
        tabIndex={-1}
        className={styles.main}
        // On a narrow screen the navigation would cover what has the focus.
        onFocus={() => setOpen(false)}
      >
        <ViewBanner />
        <ExportBanner />
        <Standing page={pathname} />
        <Outlet />
      </main>
      <PasswordDialog />
      <KeysDialog />
      <Toasts />
    </div>
  );
}
