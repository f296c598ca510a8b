import * as z from 'zod';
import type { Author } from './author.ts';

export const auditEntrySchema = z.object({
  at: z.number(),
  /** `null`: not known, as for a deployment of the stack. */
  by: z.string().nullable(),
  how: z.enum(['page', 'link', 'slack', 'cli', 'api', 'deployment']),
  kind: z.enum([
    ...(['answered', 'silence-added', 'silence-ended', 'note-added', 'note-removed'] as const),
    ...(['rules-deployed', 'token-created', 'token-revoked'] as const),
  ]),
  /** The id of the rule, silence, note or token, or the version of the rules. */
  on: z.string(),
  segment: z.string().nullable().default(null),
  /** `null`: of no app alone. */
  app: z.string().nullable(),
  /** The answer, what the silence matches, the text of the note, or the name of the token. */
  detail: z.string().default(''),
  reason: z.string().default(''),
});
/** Something that a person or a program did. Ids are in the order of time. */
export type AuditEntry = z.output<typeof auditEntrySchema> & { id: string };

/** A person or program that does something, and how. */
export interface Actor extends Author {
  how: AuditEntry['how'];
}

export interface AuditLog {
  /** Never fails, as what was done is done: an entry that cannot be written is in the log of the process. */
  save(entry: z.input<typeof auditEntrySchema>): Promise<void>;
  /** The newest first, for 400 days. `before`: the id of an entry. */
  load(wanted: { fromAt?: number; before?: string | undefined; atMost: number }): Promise<AuditEntry[]>;
}
