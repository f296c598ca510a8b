/** The alerts that one message shows. Only these get links, and the message counts the others. */
export const ALERTS_PER_MESSAGE = 10;
