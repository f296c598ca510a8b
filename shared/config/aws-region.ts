import * as z from 'zod';

export const regionSchema = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region, such as "eu-central-1"');
