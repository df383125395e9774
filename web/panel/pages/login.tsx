import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, lazyRouteComponent, useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { PANEL, parseSearch } from '../address.js';
import { GatewayError, graphql, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Note } from '../parts/feedback/note.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { PasswordField, TextField } from '../parts/fields/text-field.js';
import { Form } from '../parts/form/form.js';
import { Card } from '../parts/layout/card.js';
import { inRoom } from '../room.js';
import { loginStepQuery, readLoginStep } from '../second-factor.js';
import { LOGIN, readViewerAnew, viewerQuery } from '../session.js';
import { tellSession } from '../session-channel.js';
import { CodeForm } from './login/code-form.js';

const Enrolment = inRoom(
  'secondFactor',
  lazyRouteComponent(() => import('./login/enrolment.js'), 'Enrolment'),
);

const LOGIN_BY_LINK = graphql(`
  mutation loginByLink($token: String!) {
    loginByLink(token: $token)
  }
`);

const route = getRouteApi('/login');

/** Whether the gateway does not take a link, or no longer; any other error may pass. */
const isLinkRefused = (error: Error): boolean =>
  error instanceof GatewayError && ['BAD_USER_INPUT', 'FORBIDDEN'].includes(error.code);

/** Logs in with e-mail and password, or by the one-time link in the fragment, and goes on to where it was asked for. */
export function LoginPage() {
  const t = useText();
  const { to = '' } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  const token = useLocation({ select: ({ hash }) => hash });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');

  // Below the panel, whatever the address says: `//host` would be another website.
  const destination = to.replace(/^[/\\]+/, '');
  const [path = '', parameters] = destination.replace(/#.*/, '').split('?', 2);
  const onSuccess = async () => {
    const viewer = readViewerAnew(client);
    // Asked for together with the viewer, whom the page waits for.
    for (const { options } of router.getMatchedRoutes(`/${path}`)[0]) {
      void options.staticData?.readAhead?.(parseSearch(parameters ?? ''));
    }
    await viewer;
    tellSession();
    router.history.replace(`${PANEL}${destination}`);
  };

  /** Loads the chunks of the destination while the viewer types: a login that is only looked at comes without them. */
  const loadAhead = () => {
    const [routes] = router.getMatchedRoutes(`/${path}`);
    // What fails is loaded again, and told, once the router goes there.
    for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
  };
  const step = useQuery(loginStepQuery);
  const [isAgain, setAgain] = useState(false);
  const goOn = async (isLoggedIn: boolean) => {
    if (isLoggedIn) return onSuccess();
    setAgain(false);
    await readLoginStep(client);
  };
  const login = useMutation({
    mutationFn: async () => (await send(LOGIN, { email, password })).login,
    onSuccess: goOn,
  });
  const byLink = useMutation({
    mutationFn: async () => (await send(LOGIN_BY_LINK, { token })).loginByLink,
    onSuccess: goOn,
  });

  // Once, however often React runs the effect: the link serves once.
  const isFollowed = useRef(false);
  const { mutate: follow } = byLink;
  useEffect(() => {
    if (!token || isFollowed.current) return;
    isFollowed.current = true;
    follow();
  }, [token, follow]);

  // Once, when the page is opened: a login goes on by itself.
  const goOnLoggedIn = useRef(async () => {
    if (token) return;
    const asked = [client.fetchQuery({ ...viewerQuery, staleTime: 0 }), readLoginStep(client)] as const;
    const [viewer, pending] = await Promise.all(asked);
    if (viewer && !pending) router.history.replace(`${PANEL}${destination}`);
  });
  useEffect(() => {
    // What keeps it from being known leaves the form, which tells it.
    goOnLoggedIn.current().catch(() => undefined);
  }, []);

  if (step.data === 'CODE' && !isAgain) {
    return <CodeForm onSuccess={onSuccess} onAgain={() => setAgain(true)} />;
  }
  if (step.data === 'ENROLMENT' && !isAgain) {
    return (
      <Suspense fallback={<Skeleton />}>
        <Enrolment onSuccess={onSuccess} />
      </Suspense>
    );
  }
  return (
    <Card title={t('login.title')}>
      {byLink.error &&
        (isLinkRefused(byLink.error) ? (
          <div role="alert">
            <Note>{t('login.linkUsed')}</Note>
          </div>
        ) : (
          <ErrorBox error={byLink.error} onRetry={follow} />
        ))}
      <Form
        onSubmit={login.mutate}
        error={login.error}
        fieldErrors={({ code }) => ({ password: code === 'UNAUTHENTICATED' && t('login.wrong') })}
      >
        <TextField
          name="email"
          label={t('login.email')}
          type="email"
          autoComplete="username"
          isRequired
          autoFocus
          value={email}
          onChange={(value) => {
            setEmail(value);
            loadAhead();
          }}
        />
        <PasswordField
          name="password"
          label={t('login.password')}
          value={password}
          onChange={(value) => {
            setPassword(value);
            loadAhead();
          }}
        />
        <Button type="submit" variant="primary" isPending={login.isPending || byLink.isPending}>
          {t('login.button')}
        </Button>
      </Form>
      <Link to="/reset" state={{ email }}>
        {t('login.forgot')}
      </Link>
    </Card>
  );
}
