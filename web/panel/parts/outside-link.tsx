import type { ReactNode } from 'react';

type Props = { href: string; children: ReactNode };

/** A link to an address outside the panel, which opens in a tab of its own and learns nothing of this page. */
export const OutsideLink = ({ href, children }: Props) => (
  <a href={href} rel="noopener noreferrer nofollow" target="_blank">
    {children}
  </a>
);
