import type { AsyncRouteComponent } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { IntlProvider, useIntl } from 'react-intl';
import { languageOf, type Room, type Texts, textsOf, useTexts } from './language.js';

/**
 * Gives the parts of a room their texts beside those that they have. No hook follows the one that suspends: React may
 * otherwise resume with the hooks of an update in a first render, and fails.
 */
function RoomTexts({ room, children }: { room: Room; children: ReactNode }) {
  const texts = useTexts(languageOf(useIntl().locale), room);
  return <MoreTexts texts={texts}>{children}</MoreTexts>;
}

/** Adds texts to those that are given. */
function MoreTexts({ texts, children }: { texts: Texts; children: ReactNode }) {
  const { locale, messages } = useIntl();
  const all = useMemo(() => ({ ...messages, ...texts }) as Texts, [messages, texts]);
  return (
    <IntlProvider locale={locale} messages={all}>
      {children}
    </IntlProvider>
  );
}

/** Gives a page or a tab the texts of its room, which load beside it. */
export function inRoom<Props extends object>(
  room: Room,
  Part: AsyncRouteComponent<Props>,
): AsyncRouteComponent<Props> {
  const PartInRoom = (props: Props) => (
    <RoomTexts room={room}>
      <Part {...props} />
    </RoomTexts>
  );
  return Object.assign(PartInRoom, {
    async preload() {
      await Promise.all([textsOf(languageOf(document.documentElement.lang), room), Part.preload?.()]);
    },
  });
}
