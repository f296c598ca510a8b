import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Packs of cdk-nag with the same rules. */
const PACKS = ['NIST.800.53.R5', 'HIPAA.Security'];

/** Acknowledges rules of these packs in `scope`, each with the reason why it does not apply. */
export function acknowledgeFindings(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons))
    Validations.of(scope).acknowledge(...PACKS.map((pack) => ({ id: `${pack}-${rule}`, reason })));
}
