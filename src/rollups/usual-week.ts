/** How often the usual leads of a week count at most: more than that, as in a campaign, is no habit. */
export const MAX_OF_USUAL = 1.5;
