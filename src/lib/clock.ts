/** Returns the current time. Code that depends on it takes a clock, so that tests can set it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
