import type { Outcome } from '../../outcome/outcome.js'
import type { Reason } from '../../text/reason.js'

/** The reasons that the tables of gates and checks do not show already. */
export function otherReasons({ reasons }: Outcome): Reason[] {
  return reasons.filter(({ about }) => about !== 'gate' && about !== 'check')
}
