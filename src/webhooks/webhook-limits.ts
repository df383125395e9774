/** Maximum endpoints of a team. */
export const MAX_WEBHOOKS = 10;

/** Maximum former secrets of an endpoint that sign, so that a message's header stays short. */
export const MAX_FORMER_SECRETS = 5;
