import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download } from './download.js';
import { useText } from './language.js';
import { Button } from './parts/buttons/button.js';
import { describeError } from './parts/feedback/error-words.js';
import { say } from './parts/overlays/toasts.js';

type Props = {
  /** Path of the file below the gateway's address. */
  path: string;
  children: ReactNode;
};

/** Downloads a file of the gateway, after a login when the session has ended. */
export function DownloadButton({ path, children }: Props) {
  const t = useText();
  const save = useMutation({
    mutationFn: () => download(path),
    onError: (error) => say(describeError(error, t).text),
  });
  return (
    <Button onPress={() => save.mutate()} isPending={save.isPending}>
      {children}
    </Button>
  );
}
