import type { ReactNode, Ref } from 'react';
import styles from './page.module.css';

type Props = { title: string; actions?: ReactNode; children: ReactNode };

type PageProps = Props & {
  /** Whether it has panes side by side that use all the room of the window; its actions then stay in view. */
  isWide?: boolean;
};

/** What can be done with all of a page or section, at the end of its heading. */
const Header = ({ children, actions }: Pick<Props, 'children' | 'actions'>) => (
  <header className={styles.header}>
    {children}
    {actions && <div className={styles.actions}>{actions}</div>}
  </header>
);

/** A page of the shell: its heading, what can be done with all of it, and its content. */
export const Page = ({ title, actions, isWide, children }: PageProps) => (
  <div className={styles.page} data-wide={isWide || undefined}>
    <title>{`${title} · Formgate`}</title>
    <Header actions={actions}>
      <h1 title={isWide ? title : undefined}>{title}</h1>
    </Header>
    {children}
  </div>
);

type SectionProps = Props & { ref?: Ref<HTMLElement> };

/** A part of a page under a heading of its own. */
export const Section = ({ ref, title, actions, children }: SectionProps) => (
  <section ref={ref} className={styles.section}>
    <Header actions={actions}>
      <h2>{title}</h2>
    </Header>
    {children}
  </section>
);
