import { type ReactNode, Suspense } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';
import { Skeleton } from '../feedback/skeleton.js';
import styles from './tabs.module.css';

type Props<Id extends string> = {
  /** Says what the tabs are of. */
  label: string;
  tabs: readonly Readonly<{ id: Id; text: string }>[];
  selected: Id;
  onSelect(tab: Id): void;
  /** The content of the selected tab, which may be loaded only now. */
  children: ReactNode;
};

/** Brings the selected tab into sight, where the tabs are wider than the screen. */
const reveal = (tab: HTMLDivElement | null): void =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** Tabs of a page, of which one shows. Arrow keys move the focus, Enter selects. */
export const Tabs = <Id extends string>({ label, tabs, selected, onSelect, children }: Props<Id>) => (
  <AriaTabs
    className={styles.tabs!}
    selectedKey={selected}
    onSelectionChange={(key) => onSelect(key as Id)}
    keyboardActivation="manual"
  >
    <TabList aria-label={label} className={styles.list!}>
      {tabs.map(({ id, text }) => (
        <Tab key={id} id={id} className={styles.tab!} ref={id === selected ? reveal : null}>
          {text}
        </Tab>
      ))}
    </TabList>
    <TabPanel key={selected} id={selected} className={styles.panel!}>
      <Suspense fallback={<Skeleton lines={6} />}>{children}</Suspense>
    </TabPanel>
  </AriaTabs>
);
