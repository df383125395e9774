import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useText } from '../language.js';
import { onShowKeys, useKeys } from '../parts/keyboard/keys.js';

const KeysList = lazyRouteComponent(() => import('./keys-list.js'), 'KeysList');

/** The list of the keys that work on the page, which comes once it is asked for; `?` opens it. */
export function KeysDialog() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  useKeys([{ key: '?', text: t('keys.help'), run: () => setOpen(true) }]);
  useEffect(() => {
    onShowKeys(() => setOpen(true));
    return () => onShowKeys(null);
  }, []);
  return (
    isOpen && (
      <Suspense>
        <KeysList onClose={() => setOpen(false)} />
      </Suspense>
    )
  );
}
