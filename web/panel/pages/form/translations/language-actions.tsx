import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ChevronIcon } from '../../../parts/icons/icons.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { Menu, MenuItem } from '../../../parts/overlays/menu.js';
import { Popover } from '../../../parts/overlays/popover.js';
import { platformLocales, useLanguageName } from './languages.js';

/** Adds one of the platform's languages that the form does not have; nothing when it has them all. */
export function AddLanguage({ taken, onAdd }: { taken: readonly string[]; onAdd(locale: string): void }) {
  const t = useText();
  const nameOf = useLanguageName();
  const { data = [] } = useQuery(platformLocales);
  const locales = data.filter((locale) => !taken.includes(locale));
  if (locales.length === 0) return null;
  return (
    <MenuTrigger>
      <Button>
        {t('translations.addLanguage')}
        <ChevronIcon />
      </Button>
      <Popover>
        <Menu onAction={(key) => onAdd(String(key))}>
          {locales.map((locale) => (
            <MenuItem key={locale} id={locale}>
              {nameOf(locale)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

type RemoveProps = {
  locale: string;
  /** Counts the texts that are translated into it. */
  count(): number;
  onRemove(): void;
};

/** Removes a language from the draft, after a question where that takes translations away. */
export function RemoveLanguage({ locale, count, onRemove }: RemoveProps) {
  const t = useText();
  const language = useLanguageName()(locale);
  const [removed, setRemoved] = useState(0);
  const title = t('translations.removeLanguage', { language });
  return (
    <>
      <Button
        onPress={() => {
          const translated = count();
          if (translated > 0) setRemoved(translated);
          else onRemove();
        }}
      >
        {title}
      </Button>
      <Dialog title={title} isOpen={removed > 0} onClose={() => setRemoved(0)}>
        <p>{t('translations.removeText', { language, count: removed })}</p>
        <DialogButtons
          action={title}
          variant="danger"
          onPress={() => {
            setRemoved(0);
            onRemove();
          }}
        />
      </Dialog>
    </>
  );
}
