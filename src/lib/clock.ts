/** The time of day, given to whatever depends on it so that tests can set it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
