/** Reaches every tab of the browser, since these share the session. */
const NAME = 'formgate-session';

/** Tells the messages of this document from those of others. */
const OWN = Math.random();

function post(message: number | null): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(message);
  channel.close();
}

/**
 * Tells every tab that the session is another one now, or is viewed as another: what it may do has to be read again.
 */
export const tellSession = (): void => post(null);

/** Tells every other tab that the session has ended. This one is left, and would ask for the password until it is. */
export const tellLogout = (): void => post(OWN);

/** Calls a function with each change of the session, also one of this tab. @returns what stops that. */
export function onSession(handler: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }) => {
    if (data !== OWN) handler();
  });
  return () => channel.close();
}
