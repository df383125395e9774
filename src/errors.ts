/** What the log says of a refusal beside its answer: no secret, and nothing that a visitor typed. */
export type RefusalDetail = Readonly<{
  signature?: SignatureFault | undefined;
  host?: string;
  sentHost?: string;
}>;

/** Why a signature is refused: its headers are missing, it is not of the website's key, or not of this time. */
export type SignatureFault = 'missing' | 'malformed' | 'wrong_key' | 'expired' | 'from_the_future';

/** A documented answer other than success: status, body and headers (guide: Everything that can go wrong). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly logged: RefusalDetail = {},
  ) {
    super(typeof body.message === 'string' ? body.message : String(body.error));
  }
}

/** The messages about an input, by field. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export const unauthenticated = () =>
  new ApiError(401, { message: 'Unauthenticated.' }, { 'WWW-Authenticate': 'Bearer' });

export const forbidden = (message: string) => new ApiError(403, { message });

export const noLongerAllowed = () =>
  forbidden('The holder of this token no longer has access to this organization.');

export const reservedToManagers = () =>
  forbidden('Tokens are reserved to owners and administrators of an active organization.');

export const noOrganization = () => forbidden('This token does not grant access to any organization.');

export const missingAbility = (ability: string) => forbidden(`This token lacks the ability ${ability}.`);

export const foreignOrganization = () =>
  forbidden('A token can only create tokens for its own organization.');

export const foreignWebsite = () => forbidden('This token does not grant access to this website.');

export const roleNotAllowed = () => forbidden('Your role in this team does not allow it.');

export const staffOnly = () => forbidden('This is reserved to staff.');

export const websiteDisabled = () => forbidden('This website is disabled.');

export const notFound = (message = 'Not found.') => new ApiError(404, { message });

export const websiteNotFound = () => notFound('Website not found.');

export const tokenNotFound = () => notFound('Token not found.');

export const departmentNotFound = () => notFound('Department not found.');

export const formNotFound = () => notFound('Form not found.');

export const submissionNotFound = () => notFound('Submission not found.');

export const teamNotFound = () => notFound('Team not found.');

export const memberNotFound = () => notFound('Member not found.');

export const invitationNotFound = () => notFound('Invitation not found.');

export const accountNotFound = () => notFound('Account not found.');

export const planNotFound = () => notFound('Plan not found.');

export const webhookNotFound = () => notFound('Webhook not found.');

/** @param hosts The host that the website has, and the one that was sent. */
export const originNotAllowed = (hosts: Pick<RefusalDetail, 'host' | 'sentHost'> = {}) =>
  new ApiError(403, { error: 'origin_not_allowed' }, {}, hosts);

/** @param signature What is wrong with it. */
export const invalidSignature = (signature?: SignatureFault) =>
  new ApiError(403, { error: 'invalid_signature' }, {}, { signature });

export const captchaRequired = () => new ApiError(403, { error: 'captcha_required' });

export const captchaFailed = () => new ApiError(403, { error: 'captcha_failed' });

export const captchaProviderNotAllowed = () => new ApiError(403, { error: 'captcha_provider_not_allowed' });

/** A captcha step is down: `next` may be presented in its place, with the token (guide: What to retry). */
export const captchaFallback = (next: string, token: string) =>
  new ApiError(403, { error: 'captcha_fallback', next, fallback_token: token });

export const altchaNotEnabled = () => new ApiError(404, { error: 'altcha_not_enabled' });

export const payloadTooLarge = () => new ApiError(413, { error: 'payload_too_large' });

/** A body that did not arrive in time. The connection is closed: its next bytes are not the start of a request. */
export const requestTimedOut = () =>
  new ApiError(408, { message: 'The request did not arrive in time.' }, { Connection: 'close' });

export const malformedRequest = (message: string) => new ApiError(400, { message });

export const unsupportedMediaType = (message: string) => new ApiError(415, { message });

export const invalid = (errors: FieldErrors, message = 'The given data was invalid.') =>
  new ApiError(422, { message, errors });

/** A one-time link whose token is unknown, used up or expired. */
export const invalidLink = () => invalid({ token: ['is not valid, or no longer'] });

/** A conflict with the stored state: a concurrent change came first, or a rule would be broken. */
export const conflict = (message: string) => new ApiError(409, { message });

export const accountExists = () => conflict('There already is an account of this address.');

/** A limit is used up. `headers` are the rate limit fields beside `Retry-After`. */
export const tooManyRequests = (retryAfterS: number, headers: Readonly<Record<string, string>> = {}) =>
  new ApiError(429, { message: 'Too many requests.' }, { ...headers, 'Retry-After': String(retryAfterS) });

export const unavailable = () =>
  new ApiError(503, { message: 'Service temporarily unavailable.' }, { 'Retry-After': '2' });

/** An internal error, of which the answer reveals nothing. */
export const serverError = () => new ApiError(500, { message: 'Server error.' });

/** A failure that the operator can correct: the command prints the message, without a stack. */
export class StartError extends Error {}

/** Arguments that a command cannot act on. */
export class UsageError extends StartError {}
