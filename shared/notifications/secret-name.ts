import * as z from 'zod';

/** The name of a secret that `holds` this, in the words of a person. Refuses what is the secret itself. */
export function secretName(holds: string) {
  return z
    .string()
    .min(1)
    .regex(
      /^(?!.*:\/\/)(?!whsec_)(?!xox[a-z]-)(?![0-9A-Za-z]{32}$)/,
      `name the secret that holds the ${holds}; the ${holds.split(' ').at(-1)} itself must not be in this file`,
    )
    .regex(
      /^[^$]*(\$STAGE\/[^$]+)?$/,
      'write "$STAGE/" for the name of the stage, such as "deltawatch/$STAGE/slack"',
    )
    .describe(`The name of the secret that holds the ${holds}; never the ${holds.split(' ').at(-1)}.`);
}
