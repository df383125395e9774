import type { AsyncRouteComponent } from '@tanstack/react-router';
import { type ReactNode, use, useMemo } from 'react';
import { IntlProvider, useIntl } from 'react-intl';
import { type Language, type Room, type Texts, textsOf } from './language.js';

const languageOf = (locale: string): Language => (locale.startsWith('fr') ? 'fr' : 'en');

/** Gives the parts of a room their texts beside those that they have. */
function RoomTexts({ room, children }: { room: Room; children: ReactNode }) {
  const { locale, messages } = useIntl();
  const texts = use(textsOf(languageOf(locale), room));
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
