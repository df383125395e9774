/** Reaches every tab of the browser, since these share the session. */
const NAME = 'formgate-session';

/** Tells every tab that the session is another one now, or is viewed as another: what it may do has to be read again. */
export function tellSession(): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(null);
  channel.close();
}

/** Calls a function with each change of the session, also one of this tab. @returns what stops that. */
export function onSession(handler: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', handler);
  return () => channel.close();
}
