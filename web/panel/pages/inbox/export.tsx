import { memo, useEffect, useRef, useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { describeError } from '../../parts/error-words.js';
import { Progress } from '../../parts/progress.js';
import { say } from '../../parts/toasts.js';
import type { Filter } from './search.js';

type Props = {
  filter: Filter;
  /** How many leads the list finds; null unless that is known exactly. */
  total: number | null;
};

/** Downloads what the list finds for a spreadsheet, tells how far it is, and can be cancelled. */
export const Export = memo(function Export({ filter, total }: Props) {
  const t = useText();
  const [done, setDone] = useState<number | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const download = async () => {
    const controller = new AbortController();
    running.current = controller;
    setDone(0);
    const given = Object.entries(filter).map(([name, value]) => [name, String(value)]);
    const path = `panel/exports/submissions.csv?${new URLSearchParams(given)}`;
    try {
      const { download: start } = await import('../../download.js');
      await start(path, controller.signal, setDone);
    } catch (error) {
      if (!controller.signal.aborted)
        say(t('export.failed', { reason: describeError(error as Error, t).text }));
    }
    setDone(null);
  };

  if (done === null) return <Button onPress={() => void download()}>{t('action.export')}</Button>;
  return (
    <>
      <Progress done={done} total={total} label={t('export.progress')} />
      <Button onPress={() => running.current?.abort()}>{t('action.cancel')}</Button>
    </>
  );
});
